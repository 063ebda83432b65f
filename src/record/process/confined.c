/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is, in a sandbox: found with the system calls that the loader needs to load this
 * library (openat, read, newfstatat, mmap, mprotect, close) and no others, since a filter may kill
 * a process for any other call.
 *
 * Functions with static buffers are called by the one thread that starts the process; its stack
 * may be small. */
#include "record/process/confined.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* Reads the beginning of a file as text; "" where it cannot be read. */
static size_t read_text(const char *path, char *text, size_t size)
{
    size_t n = 0;
    int fd = rf_sys_open(path, O_RDONLY, 0);
    while (fd >= 0 && n + 1 < size) {
        long got = rf_sys_read(fd, text + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (fd >= 0)
        rf_sys_close(fd);
    text[n] = '\0';
    return n;
}

bool rf_is_confined(void)
{
    static const char key[] = "\nSeccomp:\t";
    static char text[2048];
    (void)read_text("/proc/self/status", text, sizeof(text));
    const char *found = strstr(text, key);
    return found != NULL && found[sizeof(key) - 1] != '0';
}

static uint64_t parse_hex(const char **at)
{
    uint64_t value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* The file that the program headers of the executable are mapped from. Its line is among the
 * first of the maps: only mappings at lower addresses come before it. */
static size_t find_program(char *path, size_t size)
{
    static char text[3072];
    const uint64_t headers = getauxval(AT_PHDR);
    (void)read_text("/proc/self/maps", text, sizeof(text));
    for (const char *line = text; *line != '\0';) {
        const char *at = line;
        const char *next = strchr(line, '\n');
        uint64_t from = parse_hex(&at);
        uint64_t to = *at == '-' ? (at++, parse_hex(&at)) : 0;
        if (next == NULL)
            return 0;
        const char *name = memchr(at, '/', (size_t)(next - at));
        if (headers >= from && headers < to && name != NULL) {
            size_t n = (size_t)(next - name);
            if (n >= size)
                return 0;
            memcpy(path, name, n);
            return n;
        }
        line = next + 1;
    }
    return 0;
}

static bool get_file(const char *path, struct stat *st)
{
    return RF_SYSCALL4(SYS_newfstatat, AT_FDCWD, path, st, 0) == 0;
}

/* The current directory as the shell names it, if that is right. */
static size_t find_directory(char *path, size_t size)
{
    struct stat there;
    struct stat here;
    const char *name = getenv("PWD");
    size_t n = name != NULL ? strnlen(name, size) : size;
    if (n >= size || name[0] != '/' || !get_file(name, &there) || !get_file(".", &here) ||
        there.st_dev != here.st_dev || there.st_ino != here.st_ino)
        return 0;
    memcpy(path, name, n);
    return n;
}

size_t rf_confined_path(enum rf_proc_key key, char *path, size_t size)
{
    return key == RF_PROC_EXE ? find_program(path, size) : find_directory(path, size);
}

void rf_confined_thread_name(char name[16])
{
    char text[32];
    size_t n = read_text("/proc/thread-self/comm", text, sizeof(text));
    if (n > 0 && text[n - 1] == '\n')
        n--;
    memcpy(name, text, n < 16 ? n : 15);
}

uint64_t rf_inode_of(const char *path)
{
    struct stat st;
    return get_file(path, &st) ? st.st_ino : 0;
}
