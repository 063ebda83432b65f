/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/end_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define PARENT_FIELD      4 /* of a stat file in /proc */
#define EXIT_SIGNAL_FIELD 38

struct relation {
    pid_t pid, parent;
    bool is_keeper; /* of the program's terminal (cli/terminal_pty.h): it has no exit signal */
    bool is_ours;
};

/* The number in a field after the second one, which is the name in parentheses; -1: none. */
static int read_field(const char *stat, int field)
{
    const char *at = strrchr(stat, ')');
    int number;
    for (int i = 2; at != NULL && i < field; i++)
        at = strchr(at + 1, ' ');
    return at != NULL && sscanf(at, " %d", &number) == 1 ? number : -1;
}

/* parent is 0 where the process has ended. */
static struct relation relation_of(const char *pid)
{
    struct relation relation = {(pid_t)atol(pid), 0, 0, 0};
    char path[64], text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return relation;
    text[n] = '\0';
    int parent = read_field(text, PARENT_FIELD);
    relation.parent = parent > 0 ? parent : 0;
    relation.is_keeper = read_field(text, EXIT_SIGNAL_FIELD) == 0;
    return relation;
}

/* All processes of the machine. The caller frees the result. */
static struct relation *list_processes(size_t *n)
{
    struct relation *list = NULL;
    size_t room = 0;
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    *n = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (rf_grow_array(&list, *n, &room, sizeof(*list)) != RF_OK)
            break;
        list[(*n)++] = relation_of(entry->d_name);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return list;
}

int cli_end_program(pid_t root, int signal_number)
{
    size_t n;
    struct relation *list = list_processes(&n);
    int n_sent = 0;
    bool has_grown = true;
    /* orphans of the program are our children, and so is the program itself */
    for (size_t i = 0; i < n; i++)
        list[i].is_ours = list[i].pid == root || (list[i].parent == getpid() && !list[i].is_keeper);
    while (has_grown) {
        has_grown = false;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n && !list[i].is_ours; k++)
                if (list[k].is_ours && list[k].pid == list[i].parent)
                    list[i].is_ours = has_grown = true;
    }
    for (size_t i = 0; i < n; i++)
        n_sent += list[i].is_ours && kill(list[i].pid, signal_number) == 0;
    if (n == 0)
        n_sent = kill(root, signal_number) == 0;
    free(list);
    return n_sent;
}
