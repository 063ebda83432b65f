/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output_name.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/own_rank.h"
#include "cli/say.h"

#define MAX_NUMBER 1000000

/* The output of an expansion, and the values that the pattern refers to. */
struct expansion {
    char *out;
    size_t size;
    size_t at;
    pid_t pid;
    int number; /* for %n */
    bool has_number;
    bool is_too_long;
    const char *what;     /* for messages: "output name" */
    bool can_number;      /* %n is known */
    bool keeps_unknown;   /* what cannot be replaced stays as it is, as with nsys */
    struct rf_err *doubt; /* with keeps_unknown: receives the reason; may be NULL */
};

static void put(struct expansion *x, const char *text, size_t length)
{
    if (x->at + length >= x->size) {
        x->is_too_long = true;
        return;
    }
    memcpy(x->out + x->at, text, length);
    x->at += length;
    x->out[x->at] = '\0';
}

static void put_number(struct expansion *x, long number)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%ld", number);
    put(x, text, strlen(text));
}

/* Handles length bytes at p that cannot be replaced, for the reason in *err. Returns the position
 * after them, or NULL. */
static const char *keep_or_fail(struct expansion *x, const char *p, size_t length,
                                struct rf_err *err)
{
    if (!x->keeps_unknown)
        return NULL;
    put(x, p, length);
    if (x->doubt != NULL)
        *x->doubt = *err;
    memset(err, 0, sizeof(*err));
    return p + length;
}

/* p points at "%q". Returns the position after the closing brace, or NULL. */
static const char *put_variable(struct expansion *x, const char *p, struct rf_err *err)
{
    char name[256];
    size_t length = p[2] == '{' ? strcspn(p + 3, "}") : 0;
    if (length == 0 || p[3 + length] != '}' || length >= sizeof(name)) {
        (void)rf_fail(err, RF_ERR_USAGE, "%s: %%q needs {VARIABLE}", x->what);
        return keep_or_fail(x, p, 2, err);
    }
    memcpy(name, p + 3, length);
    name[length] = '\0';
    const char *value = getenv(name);
    if (value == NULL) {
        (void)rf_fail(err, RF_ERR_USAGE, "%s: %%q{%s}: the environment has no variable '%s'",
                      x->what, name, name);
        return keep_or_fail(x, p, length + 4, err);
    }
    put(x, value, strlen(value));
    return p + length + 4;
}

/* p points at "%r". A name without the rank would be that of every rank: it is refused even where
 * other parts stay as they are. */
static const char *put_rank(struct expansion *x, const char *p, struct rf_err *err)
{
    const int32_t rank = cli_own_rank();
    char what[64];
    if (rank < 0) {
        (void)snprintf(what, sizeof(what), "%s: %%r", x->what);
        (void)cli_fail_no_rank(err, what);
        return NULL;
    }
    put_number(x, rank);
    return p + 2;
}

/* p points at '%'. Returns the position after the directive, or NULL. */
static const char *put_directive(struct expansion *x, const char *p, struct rf_err *err)
{
    char host[HOST_NAME_MAX + 1] = "";
    switch (p[1]) {
    case '%':
        put(x, "%", 1);
        return p + 2;
    case 'p':
        put_number(x, (long)x->pid);
        return p + 2;
    case 'n':
        if (!x->can_number)
            break;
        put_number(x, x->number);
        x->has_number = true;
        return p + 2;
    case 'h':
        (void)gethostname(host, sizeof(host) - 1);
        put(x, host, strlen(host));
        return p + 2;
    case 'r':
        return put_rank(x, p, err);
    case 'q':
        return put_variable(x, p, err);
    default:
        break;
    }
    (void)rf_fail(err, RF_ERR_USAGE,
                  "%s: '%.2s' is unknown; %%p, %%h, %%r, %s%%q{VARIABLE} and %%%% are known",
                  x->what, p, x->can_number ? "%n, " : "");
    return keep_or_fail(x, p, p[1] != '\0' ? 2 : 1, err);
}

static int expand(struct expansion *x, const char *pattern, struct rf_err *err)
{
    x->at = 0;
    x->out[0] = '\0';
    for (const char *p = pattern; *p != '\0';) {
        size_t plain = strcspn(p, "%");
        put(x, p, plain);
        p += plain;
        if (*p == '%' && (p = put_directive(x, p, err)) == NULL)
            return RF_ERR_USAGE;
    }
    return x->is_too_long ? rf_fail(err, RF_ERR_USAGE, "%s: too long", x->what) : RF_OK;
}

int cli_expand(char *out, size_t size, const char *pattern, pid_t pid, const char *what,
               struct rf_err *err)
{
    struct expansion x = {.out = out, .size = size, .pid = pid, .what = what};
    return expand(&x, pattern, err);
}

void cli_output_warn(const char *pattern)
{
    char base[PATH_MAX];
    struct rf_err err, doubt = {.text = ""};
    struct expansion x = {.out = base,
                          .size = sizeof(base),
                          .what = "output name",
                          .can_number = true,
                          .keeps_unknown = true,
                          .doubt = &doubt};
    if (expand(&x, pattern, &err) == RF_OK && doubt.text[0] != '\0')
        cli_say("%s; it stays as it is", doubt.text);
}

static void drop_suffix(char *base, const char *suffix)
{
    size_t length = strlen(base), n = strlen(suffix);
    if (length > n && base[length - n - 1] != '/' && strcmp(base + length - n, suffix) == 0)
        base[length - n] = '\0';
}

bool cli_output_has_number(const char *pattern)
{
    for (const char *p = pattern; (p = strchr(p, '%')) != NULL; p += p[1] != '\0' ? 2 : 1)
        if (p[1] == 'n')
            return true;
    return false;
}

bool cli_output_is_recorded(const char *base)
{
    char path[PATH_MAX + 16];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s" CLI_RECORDING_SUFFIX, base);
    return lstat(path, &st) == 0;
}

/* The number in BASE.N.rf; 0: it is called otherwise. */
static uint64_t number_of(const char *name, const char *base)
{
    const size_t n = strlen(base);
    char *end = NULL;
    if (strncmp(name, base, n) != 0 || name[n] != '.' || name[n + 1] < '1' || name[n + 1] > '9')
        return 0;
    const uint64_t number = strtoull(name + n + 1, &end, 10);
    return strcmp(end, CLI_RECORDING_SUFFIX) == 0 ? number : 0;
}

unsigned cli_output_count_numbered(const char *base, char *first, size_t size)
{
    const char *slash = strrchr(base, '/'), *name = slash != NULL ? slash + 1 : base;
    const int n_folder = (int)(name - base);
    const struct dirent *entry;
    char folder[PATH_MAX];
    unsigned n = 0;
    (void)snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? n_folder : 1,
                   slash != NULL ? base : ".");
    DIR *dir = opendir(folder);
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (number_of(entry->d_name, name) != 0 && n++ == 0 && first != NULL)
            (void)snprintf(first, size, "%.*s%s", n_folder, base, entry->d_name);
    if (dir != NULL)
        (void)closedir(dir);
    return n;
}

bool cli_output_is_taken(const char *base)
{
    char path[PATH_MAX + 16];
    struct stat st;
    if (cli_output_is_recorded(base))
        return true;
    (void)snprintf(path, sizeof(path), "%s.1" CLI_RECORDING_SUFFIX, base);
    if (lstat(path, &st) == 0)
        return true;
    (void)snprintf(path, sizeof(path), "%s.rfdir", base);
    return lstat(path, &st) == 0 || cli_output_count_numbered(base, NULL, 0) > 0;
}

bool cli_output_names_file(const char *base)
{
    const char *slash = strrchr(base, '/');
    const char *name = slash != NULL ? slash + 1 : base;
    return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           strcmp(base, "-") != 0;
}

int cli_output_base(char *base, size_t size, const char *pattern, pid_t pid, struct rf_err *err)
{
    struct expansion x = {.out = base,
                          .size = size < PATH_MAX ? size : PATH_MAX,
                          .pid = pid,
                          .what = "output name",
                          .can_number = true,
                          .keeps_unknown = true};
    do {
        x.number++;
        int status = expand(&x, pattern, err);
        if (status != RF_OK)
            return status;
        drop_suffix(base, CLI_RECORDING_SUFFIX);
        drop_suffix(base, ".nsys-rep");
        if (!cli_output_names_file(base))
            return rf_fail(err, RF_ERR_USAGE, "output name: '%s' names no file", base);
    } while (pid != 0 && x.has_number && cli_output_is_taken(base) && x.number < MAX_NUMBER);
    return RF_OK;
}

void cli_output_next_free(char *base, size_t size)
{
    size_t length = strlen(base);
    for (int i = 2; cli_output_is_taken(base) && i < MAX_NUMBER; i++)
        (void)snprintf(base + length, size - length, "-%d", i);
}

int cli_output_check_folder(const char *base, struct rf_err *err)
{
    char folder[PATH_MAX], path[PATH_MAX + 8];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s" CLI_RECORDING_SUFFIX, base);
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return rf_fail(err, RF_ERR_IO,
                       "cannot write '%s': it is no file; name another output with -o", path);
    const char *slash = strrchr(base, '/');
    (void)snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - base + 1),
                   slash == NULL ? "." : base);
    if (stat(folder, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot write '%s" CLI_RECORDING_SUFFIX "': '%s': %s", base,
                       folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return rf_fail(err, RF_ERR_IO,
                       "cannot write '%s" CLI_RECORDING_SUFFIX "': '%s' is not a directory", base,
                       folder);
    if (access(folder, W_OK | X_OK) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot write in '%s': %s; name another place with -o",
                       folder, strerror(errno));
    return RF_OK;
}
