/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/runtime_folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/session/session_message.h"

#define SUFFIX      ".sock"
#define BOOT_LENGTH 8

/* ---- The folder ---- */

bool runtime_folder_path(size_t i, char *path, size_t size)
{
    const char *own = getenv(RUNTIME_FOLDER_VARIABLE), *runtime = getenv("XDG_RUNTIME_DIR");
    const char *temporary = getenv("TMPDIR");
    unsigned uid = (unsigned)geteuid();
    path[0] = '\0';
    if (own != NULL && own[0] != '\0') {
        (void)snprintf(path, size, "%s", i == 0 ? own : "");
        return i == 0;
    }
    /* a session must also be found from a shell with other variables, so every place is searched */
    if (i == 0 && runtime != NULL && runtime[0] == '/')
        (void)snprintf(path, size, "%s/rangefinder", runtime);
    else if (i == 1)
        (void)snprintf(path, size, "/run/user/%u/rangefinder", uid);
    else if (i == 2 && temporary != NULL && temporary[0] == '/')
        (void)snprintf(path, size, "%s/rangefinder-%u", temporary, uid);
    else if (i == 3)
        (void)snprintf(path, size, "/tmp/rangefinder-%u", uid);
    return i <= 3;
}

static int check_folder(const struct runtime_folder *folder, struct rf_err *err)
{
    struct stat st;
    if (fstat(folder->fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot use '%s': %s", folder->path, strerror(errno));
    if (st.st_uid != geteuid())
        return rf_fail(err, RF_ERR_IO, "cannot use '%s': it belongs to another user", folder->path);
    if ((st.st_mode & 077) != 0)
        return rf_fail(err, RF_ERR_IO,
                       "cannot use '%s': other users may enter it; chmod 700 changes that",
                       folder->path);
    return RF_OK;
}

int runtime_folder_open(struct runtime_folder *folder, const char *path, bool makes,
                        struct rf_err *err)
{
    folder->fd = -1;
    (void)snprintf(folder->path, sizeof(folder->path), "%s", path);
    if (makes && mkdir(path, 0700) != 0 && errno != EEXIST)
        return rf_fail(err, RF_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->fd < 0)
        return rf_fail(err, RF_ERR_IO, "cannot use '%s': %s", path, strerror(errno));
    int status = check_folder(folder, err);
    if (status != RF_OK)
        runtime_folder_close(folder);
    return status;
}

void runtime_folder_close(struct runtime_folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd);
    folder->fd = -1;
}

bool runtime_folder_lock(const struct runtime_folder *folder)
{
    const struct timespec pause = {0, 10000000};
    for (int i = 0; i < 100; i++) {
        if (flock(folder->fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

void runtime_folder_unlock(const struct runtime_folder *folder)
{
    (void)flock(folder->fd, LOCK_UN);
}

/* ---- Names ---- */

bool session_name_is_valid(const char *name)
{
    if (!isalpha((unsigned char)name[0]))
        return false;
    for (const char *p = name; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    return strlen(name) < SESSION_NAME_SIZE;
}

/* The first digits of this boot's id; "" where it is unknown. */
static void boot_text(char text[BOOT_LENGTH + 1])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, BOOT_LENGTH) : 0;
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
}

static void file_ending(char *text, size_t size)
{
    char boot[BOOT_LENGTH + 1];
    boot_text(boot);
    (void)snprintf(text, size, "@%s" SUFFIX, boot);
}

bool session_socket_file(char *file, size_t size, const char *name)
{
    char ending[32];
    file_ending(ending, sizeof(ending));
    size_t room = size - strlen(ending), length = session_escape(file, room, name, "/@");
    if (length == SIZE_MAX)
        return false;
    (void)snprintf(file + length, size - length, "%s", ending);
    return true;
}

bool session_name_of_socket(char *name, size_t size, const char *file)
{
    char ending[32];
    file_ending(ending, sizeof(ending));
    size_t length = strlen(file), n = strlen(ending);
    if (length <= n || length - n >= size || strcmp(file + length - n, ending) != 0)
        return false;
    memcpy(name, file, length - n);
    name[length - n] = '\0';
    return session_unescape(name) && session_name_is_valid(name);
}

/* ---- Sockets ---- */

/* A path by way of our descriptor: it is short whatever the folder's name, and the folder cannot be
 * replaced. */
static void make_address(struct sockaddr_un *address, const struct runtime_folder *folder,
                         const char *file)
{
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    (void)snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", folder->fd,
                   file);
}

int session_connect(const struct runtime_folder *folder, const char *file)
{
    const struct timeval patience = {1, 0}; /* with a full queue */
    struct sockaddr_un address;
    make_address(&address, folder, file);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    int code = errno;
    (void)close(fd);
    errno = code;
    return -1;
}

void session_remove_if_dead(const struct runtime_folder *folder, const char *file)
{
    int fd = session_connect(folder, file);
    if (fd >= 0)
        (void)close(fd);
    else if (errno == ECONNREFUSED)
        (void)unlinkat(folder->fd, file, 0);
}

int session_listen(const struct runtime_folder *folder, const char *file, struct stat *st,
                   struct rf_err *err)
{
    enum { BACKLOG = 32 };
    struct sockaddr_un address;
    make_address(&address, folder, file);
    session_remove_if_dead(folder, file);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_bound = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    if (is_bound && listen(fd, BACKLOG) == 0 &&
        fstatat(folder->fd, file, st, AT_SYMLINK_NOFOLLOW) == 0)
        return fd;
    int code = errno;
    if (is_bound)
        (void)unlinkat(folder->fd, file, 0);
    if (fd >= 0)
        (void)close(fd);
    if (code == EADDRINUSE)
        return rf_fail(err, RF_ERR_EXISTS, "a session of this name runs already");
    return rf_fail(err, RF_ERR_IO, "cannot make the socket '%s/%s': %s", folder->path, file,
                   strerror(code));
}
