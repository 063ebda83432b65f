/* SPDX-License-Identifier: Apache-2.0 */
/* The file RF_DOUBLE_TRUTH: what really happened, one JSON object a line, written at once so that
 * it is there also when the process is killed. Times are the true clock's. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int file = -1;

static void open_file(void)
{
    const char *path = getenv("RF_DOUBLE_TRUTH");
    if (path)
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static void put(const char *line, int length)
{
    if (write(file, line, (size_t)length) != length)
        abort();
}

void driver_note_call(const struct double_call *call)
{
    char line[512];
    const char *name = double_callback_name(call->domain, call->cbid);
    pthread_once(&once, open_file);
    if (file < 0)
        return;
    put(line, snprintf(line, sizeof line,
                       "{\"what\":\"call\",\"pid\":%d,\"tid\":%ld,\"domain\":%d,\"name\":\"%s\","
                       "\"correlation\":%u,\"start\":%llu,\"end\":%llu,\"result\":%u}\n",
                       getpid(), syscall(SYS_gettid), (int)call->domain, name ? name : "?",
                       call->correlation, (unsigned long long)call->start,
                       (unsigned long long)call->end, call->result));
}

static const char *const op_names[] = {
    [OP_KERNEL] = "kernel", [OP_MEMCPY] = "memcpy", [OP_PEER_COPY] = "peer", [OP_MEMSET] = "memset",
    [OP_SYNC] = "sync",     [OP_GRAPH] = "graph",   [OP_MEMORY] = "memory",  [OP_EVENT] = "event",
};

void driver_note_op(const struct double_op *op)
{
    char line[1024];
    pthread_once(&once, open_file);
    if (file < 0)
        return;
    put(line, snprintf(line, sizeof line,
                       "{\"what\":\"%s\",\"pid\":%d,\"correlation\":%u,\"start\":%llu,"
                       "\"end\":%llu,\"device\":%u,\"context\":%u,\"stream\":%u,\"name\":\"%s\","
                       "\"bytes\":%llu,\"copy\":%u,\"sync\":%u,\"graph\":%u,\"node\":%llu,"
                       "\"grid\":%u,\"block\":%u,\"event\":%u,\"address\":%llu,\"release\":%u}\n",
                       op_names[op->kind], getpid(), op->correlation, (unsigned long long)op->start,
                       (unsigned long long)op->end, op->device, op->context, op->stream,
                       op->name ? op->name : "", (unsigned long long)op->bytes, op->copy_kind,
                       op->sync_type, op->graph, (unsigned long long)op->node, op->grid[0],
                       op->block[0], op->event, (unsigned long long)op->address, op->is_release));
}

void driver_note_refusal(void)
{
    char line[64];
    pthread_once(&once, open_file);
    if (file >= 0)
        put(line, snprintf(line, sizeof line, "{\"what\":\"refusal\",\"pid\":%d}\n", getpid()));
}
