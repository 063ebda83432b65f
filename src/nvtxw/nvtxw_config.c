/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvtxw/nvtxw_error.h"

#define ENDS       "|\r\n"
#define BLANKS     " \t\v"
#define MOST_NAMES 10000

/* The length of the value of a key, of which the first one is valid; 0: there is none. One of size
 * or more is cut. */
static size_t find(const char *config, const char *key, char *value, size_t size)
{
    const size_t key_size = strlen(key);
    for (const char *at = config; at != NULL && *at != '\0';) {
        const char *line = at + strspn(at, BLANKS), *end = line + strcspn(line, ENDS);
        at = end + strspn(end, ENDS);
        const char *equals = memchr(line, '=', (size_t)(end - line));
        if (*line == '#' || equals == NULL)
            continue;
        const char *key_end = equals;
        while (key_end > line && strchr(BLANKS, key_end[-1]) != NULL)
            key_end--;
        if ((size_t)(key_end - line) != key_size || memcmp(line, key, key_size) != 0)
            continue;
        const char *from = equals + 1;
        while (from < end && strchr(BLANKS, *from) != NULL)
            from++;
        while (end > from && strchr(BLANKS, end[-1]) != NULL)
            end--;
        if (from == end)
            continue;
        const size_t length = (size_t)(end - from), taken = length < size ? length : size - 1;
        memcpy(value, from, taken);
        value[taken] = '\0';
        return length;
    }
    return 0;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* An absolute path, since the program may change its folder before the session ends. */
static int make_absolute(char *path, const char *name)
{
    char folder[PATH_MAX];
    const bool is_absolute = name[0] == '/';
    if (!is_absolute && getcwd(folder, sizeof(folder)) == NULL)
        return nvtxw_fail(NVTXW_FAILED, "cannot find the current folder: %s", strerror(errno));
    const int n = is_absolute ? snprintf(path, PATH_MAX, "%s", name)
                              : snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return n < PATH_MAX ? NVTXW_SUCCESS
                        : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "'%s': the name is too long", name);
}

int nvtxw_config_next_name(struct nvtxw_session *session)
{
    char base[PATH_MAX], other[PATH_MAX];
    (void)snprintf(base, sizeof(base), "%.*s", (int)(strlen(session->output) - 3), session->output);
    for (int i = 2; i < MOST_NAMES; i++) {
        if (snprintf(other, sizeof(other), "%s-%d.rf", base, i) >= PATH_MAX)
            break;
        if (!exists(other)) {
            memcpy(session->output, other, sizeof(other));
            return NVTXW_SUCCESS;
        }
    }
    return nvtxw_fail(NVTXW_FAILED, "'%s' exists already", session->output);
}

/* The name of a session as that of a file. */
static int name_output(struct nvtxw_session *session, const char *name)
{
    char file[200];
    const int n = snprintf(file, sizeof(file), "%.180s.rf", name);
    for (int i = 0; i < n; i++)
        if (file[i] == '/' || (unsigned char)file[i] < ' ' || (i == 0 && file[i] == '.'))
            file[i] = '_';
    int result = make_absolute(session->output, file);
    return result == NVTXW_SUCCESS && exists(session->output) ? nvtxw_config_next_name(session)
                                                              : result;
}

int nvtxw_config_read(struct nvtxw_session *session, const char *name, const char *config)
{
    char value[PATH_MAX];
    if (find(config, "force", value, sizeof(value)) > 0)
        session->can_overwrite = strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
    const size_t length = find(config, "output", value, sizeof(value));
    if (length == 0)
        return name_output(session, name);
    if (length >= sizeof(value))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "'%.64s...': the name is too long", value);
    session->has_own_name = true;
    int result = make_absolute(session->output, value);
    if (result == NVTXW_SUCCESS && !session->can_overwrite && exists(session->output))
        result = nvtxw_fail(NVTXW_FAILED, "'%s' exists already; use force=true to overwrite it",
                            session->output);
    return result;
}
