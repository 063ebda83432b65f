/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a --python-functions-trace file is JSON in the form that the hook reads. Nothing is
 * kept; Python reads the file again. */
#include "cli/profile/functions_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"

#define MAX_SIZE  (16U << 20)
#define MAX_DEPTH 64 /* of skipped values, under keys without a meaning here */

struct scan {
    const char *path;
    const char *text; /* ends with NUL, which JSON cannot have elsewhere */
    size_t at;
    struct rf_err *err;
};

static int fail_here(struct scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail_here(struct scan *scan, const char *format, ...)
{
    char what[256];
    size_t line = 1, column = 1;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    for (size_t i = 0; i < scan->at; i++) {
        column = scan->text[i] == '\n' ? 1 : column + 1;
        line += scan->text[i] == '\n';
    }
    return rf_fail_at(scan->err, RF_ERR_FORMAT, scan->at, "'%s', line %zu, column %zu: %s",
                      scan->path, line, column, what);
}

/* The next character that is not a blank; it is not consumed. */
static char peek(struct scan *scan)
{
    scan->at += strspn(scan->text + scan->at, " \t\r\n");
    return scan->text[scan->at];
}

static bool skip_char(struct scan *scan, char c)
{
    if (peek(scan) != c)
        return false;
    scan->at++;
    return true;
}

/* ---- Values ---- */

static int scan_escape(struct scan *scan)
{
    char c = scan->text[scan->at];
    if (c == 'u') {
        size_t n = strspn(scan->text + scan->at + 1, "0123456789abcdefABCDEF");
        if (n < 4)
            return fail_here(scan, "four hexadecimal digits follow \\u");
        scan->at += 5;
        return RF_OK;
    }
    if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL)
        return fail_here(scan, "this cannot follow a backslash");
    scan->at++;
    return RF_OK;
}

/* *start, *length: what stands between the quotation marks. */
static int scan_string(struct scan *scan, const char *what, const char **start, size_t *length)
{
    if (!skip_char(scan, '"'))
        return fail_here(scan, "expected %s, in quotation marks", what);
    size_t begin = scan->at;
    for (;;) {
        char c = scan->text[scan->at];
        if (c == '"')
            break;
        if ((unsigned char)c < 0x20)
            return fail_here(scan, "the text has no end on its line");
        scan->at++;
        if (c == '\\') {
            int status = scan_escape(scan);
            if (status != RF_OK)
                return status;
        }
    }
    *start = scan->text + begin;
    *length = scan->at - begin;
    scan->at++;
    return RF_OK;
}

static int scan_name(struct scan *scan, const char *what)
{
    const char *start = NULL;
    size_t length = 0;
    (void)peek(scan);
    size_t begin = scan->at;
    int status = scan_string(scan, what, &start, &length);
    if (status != RF_OK)
        return status;
    const bool is_main = length == 8 && memcmp(start, "__main__", 8) == 0;
    if (length > 0 && !is_main)
        return RF_OK;
    scan->at = begin;
    if (is_main)
        return fail_here(scan, "functions of '__main__' cannot be annotated: put them into a "
                               "module that the program imports");
    return fail_here(scan, "%s is empty", what);
}

static int scan_number(struct scan *scan)
{
    const char *p = scan->text + scan->at;
    const char *digits = "0123456789";
    p += *p == '-';
    size_t n = strspn(p, digits);
    if (n == 0 || (n > 1 && *p == '0'))
        return fail_here(scan, "this is not a number of JSON");
    p += n;
    if (*p == '.') {
        n = strspn(++p, digits);
        p += n;
    }
    if (n > 0 && (*p == 'e' || *p == 'E')) {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        n = strspn(p, digits);
        p += n;
    }
    scan->at = (size_t)(p - scan->text);
    return n > 0 ? RF_OK : fail_here(scan, "digits are missing");
}

static int scan_any(struct scan *scan, int depth);

static int scan_container(struct scan *scan, char end, int depth)
{
    const char *key = NULL;
    size_t length = 0;
    if (depth >= MAX_DEPTH)
        return fail_here(scan, "nested too deeply");
    scan->at++;
    if (skip_char(scan, end))
        return RF_OK;
    do {
        int status = end == '}' ? scan_string(scan, "a key", &key, &length) : RF_OK;
        if (status == RF_OK && end == '}' && !skip_char(scan, ':'))
            return fail_here(scan, "expected ':'");
        if (status == RF_OK)
            status = scan_any(scan, depth + 1);
        if (status != RF_OK)
            return status;
    } while (skip_char(scan, ','));
    return skip_char(scan, end) ? RF_OK : fail_here(scan, "expected ',' or '%c'", end);
}

static int scan_any(struct scan *scan, int depth)
{
    static const char *const literals[] = {"true", "false", "null"};
    const char *start = NULL;
    size_t length = 0;
    char c = peek(scan);
    if (c == '"')
        return scan_string(scan, "a text", &start, &length);
    if (c == '{' || c == '[')
        return scan_container(scan, c == '{' ? '}' : ']', depth);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(scan->text + scan->at, literals[i], strlen(literals[i])) == 0) {
            scan->at += strlen(literals[i]);
            return RF_OK;
        }
    return scan_number(scan);
}

/* ---- The shape ---- */

static int scan_functions(struct scan *scan)
{
    if (!skip_char(scan, '['))
        return fail_here(scan, "expected '[': \"functions\" is a list of names");
    if (skip_char(scan, ']'))
        return RF_OK;
    do {
        int status = scan_name(scan, "the name of a function, \"function\" or \"Class.method\"");
        if (status != RF_OK)
            return status;
    } while (skip_char(scan, ','));
    return skip_char(scan, ']') ? RF_OK : fail_here(scan, "expected ',' or ']'");
}

static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* One member of a group. Keys without a meaning here, such as "_comment", may have any value. */
static int scan_member(struct scan *scan, bool *has_module, bool *has_functions)
{
    const char *key = NULL;
    size_t length = 0;
    int status = scan_string(scan, "a key", &key, &length);
    if (status != RF_OK)
        return status;
    if (!skip_char(scan, ':'))
        return fail_here(scan, "expected ':'");
    if (is_key(key, length, "module")) {
        *has_module = true;
        return scan_name(scan, "the name of a module");
    }
    if (is_key(key, length, "functions")) {
        *has_functions = true;
        return scan_functions(scan);
    }
    if (is_key(key, length, "domain"))
        return scan_name(scan, "the name of a domain");
    if (is_key(key, length, "color") && peek(scan) != '"')
        return scan_number(scan);
    return scan_any(scan, 0);
}

static int scan_group(struct scan *scan)
{
    bool has_module = false, has_functions = false;
    (void)peek(scan);
    size_t begin = scan->at;
    if (!skip_char(scan, '{'))
        return fail_here(scan, "expected '{': an object with \"module\" and \"functions\"");
    if (peek(scan) != '}') {
        do {
            int status = scan_member(scan, &has_module, &has_functions);
            if (status != RF_OK)
                return status;
        } while (skip_char(scan, ','));
    }
    if (!skip_char(scan, '}'))
        return fail_here(scan, "expected ',' or '}'");
    if (has_module && has_functions)
        return RF_OK;
    scan->at = begin;
    return fail_here(scan, "this object has no \"%s\"", has_module ? "functions" : "module");
}

static int scan_file(struct scan *scan)
{
    if (strncmp(scan->text, "\xEF\xBB\xBF", 3) == 0)
        scan->at = 3;
    if (!skip_char(scan, '['))
        return fail_here(scan, "expected '[': the file is a list of objects with \"module\" and "
                               "\"functions\"");
    if (!skip_char(scan, ']')) {
        do {
            int status = scan_group(scan);
            if (status != RF_OK)
                return status;
        } while (skip_char(scan, ','));
        if (!skip_char(scan, ']'))
            return fail_here(scan, "expected ',' or ']'");
    }
    return peek(scan) == '\0' ? RF_OK : fail_here(scan, "something follows the end of the list");
}

/* ---- The file ---- */

static int read_file(const char *path, char **text, struct rf_err *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
    char *buffer = malloc(MAX_SIZE + 1);
    size_t size = buffer != NULL ? fread(buffer, 1, MAX_SIZE + 1, file) : 0;
    int status = RF_OK;
    if (buffer == NULL)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    else if (ferror(file))
        status = rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    else if (size > MAX_SIZE)
        status = rf_fail(err, RF_ERR_FORMAT, "'%s' is larger than 16 MiB", path);
    else if (memchr(buffer, '\0', size) != NULL)
        status = rf_fail(err, RF_ERR_FORMAT, "'%s' is not a JSON text: it has NUL bytes", path);
    else if (!rf_is_utf8(buffer, size))
        status = rf_fail(err, RF_ERR_FORMAT, "'%s' is not a JSON text: it is not UTF-8", path);
    (void)fclose(file);
    if (status == RF_OK)
        buffer[size] = '\0';
    else
        free(buffer);
    *text = status == RF_OK ? buffer : NULL;
    return status;
}

int cli_python_functions_check(const char *path, struct rf_err *err)
{
    char *text = NULL;
    int status = read_file(path, &text, err);
    if (status != RF_OK)
        return status;
    struct scan scan = {.path = path, .text = text, .err = err};
    status = scan_file(&scan);
    free(text);
    return status;
}
