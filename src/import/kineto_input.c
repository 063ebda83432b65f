/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define PACKED_SIZE ((size_t)256 << 10)
#define GZIP_ONLY   (15 + 16) /* windowBits: zlib's way to ask for a gzip header */

static int fail_io(const struct kineto_input *input, const char *what, struct rf_err *err)
{
    return rf_fail(err, RF_ERR_IO, "cannot %s '%s': %s", what, input->path, strerror(errno));
}

static bool is_gzip(int fd)
{
    uint8_t magic[2];
    return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && magic[0] == 0x1f &&
           magic[1] == 0x8b;
}

int kineto_input_open(struct kineto_input *input, const char *path, struct rf_err *err)
{
    struct stat st;
    *input =
        (struct kineto_input){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (input->fd < 0 || fstat(input->fd, &st) != 0)
        return fail_io(input, "open", err);
    if (!S_ISREG(st.st_mode))
        return rf_fail(err, RF_ERR_IO, "cannot read '%s': it is no regular file", path);
    input->size_bytes = (uint64_t)st.st_size;
    if (!is_gzip(input->fd))
        return RF_OK;
    input->packed = malloc(PACKED_SIZE);
    if (input->packed == NULL || inflateInit2(&input->inflater, GZIP_ONLY) != Z_OK)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    input->is_packed = true;
    return RF_OK;
}

void kineto_input_close(struct kineto_input *input)
{
    if (input->is_packed)
        (void)inflateEnd(&input->inflater);
    free(input->packed);
    if (input->fd >= 0)
        (void)close(input->fd);
    input->fd = -1;
}

/* Returns how many bytes were read; 0: the end; -1: an error. */
static ssize_t read_some(struct kineto_input *input, void *to, size_t room, struct rf_err *err)
{
    ssize_t n;
    do
        n = read(input->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        (void)fail_io(input, "read", err);
    else
        input->n_read += (uint64_t)n;
    return n;
}

static int read_plain(struct kineto_input *input, char *to, size_t room, size_t *n,
                      struct rf_err *err)
{
    while (*n < room && !input->is_ended) {
        const ssize_t size = read_some(input, to + *n, room - *n, err);
        if (size < 0)
            return RF_ERR_IO;
        input->is_ended = size == 0;
        *n += (size_t)size;
    }
    return RF_OK;
}

/* ---- gzip ---- */

/* Where in the file the inflater is. */
static uint64_t packed_offset(const struct kineto_input *input)
{
    return input->n_read - input->inflater.avail_in;
}

static int fail_packed(const struct kineto_input *input, struct rf_err *err)
{
    const uint64_t at = packed_offset(input);
    return rf_fail_at(err, RF_ERR_DAMAGED, at, "'%s' is damaged at byte %llu: %s", input->path,
                      (unsigned long long)at,
                      input->inflater.msg != NULL ? input->inflater.msg : "no gzip data");
}

/* More of the file; at its end: whether a member is complete there. */
static int refill(struct kineto_input *input, struct rf_err *err)
{
    const ssize_t size = read_some(input, input->packed, PACKED_SIZE, err);
    if (size < 0)
        return RF_ERR_IO;
    input->inflater.next_in = input->packed;
    input->inflater.avail_in = (uInt)size;
    if (size > 0)
        return RF_OK;
    input->is_ended = true;
    if (!input->is_in_member)
        return RF_OK;
    return rf_fail_at(err, RF_ERR_DAMAGED, input->n_read,
                      "'%s' is cut: its gzip data has no end at byte %llu", input->path,
                      (unsigned long long)input->n_read);
}

/* A trace has times that differ in every event: it does not become this much smaller. */
#define MAX_RATIO     200
#define LEAST_OF_BOMB ((uint64_t)64 << 20)

static bool is_bomb(const struct kineto_input *input)
{
    return input->n_unpacked > LEAST_OF_BOMB && input->n_unpacked / MAX_RATIO > input->n_read;
}

static int fail_bomb(const struct kineto_input *input, struct rf_err *err)
{
    return rf_fail_at(err, RF_ERR_DAMAGED, packed_offset(input),
                      "'%s' unpacks to more than %d times its size up to byte %llu, which no trace "
                      "does; if it is one, unpack it with 'gunzip -k' and open what that writes",
                      input->path, MAX_RATIO, (unsigned long long)packed_offset(input));
}

/* Several members behind each other are one text. */
static int unpack(struct kineto_input *input, char *to, size_t room, size_t *n, struct rf_err *err)
{
    z_stream *inflater = &input->inflater;
    if (!input->is_in_member && inflateReset(inflater) != Z_OK)
        return fail_packed(input, err);
    input->is_in_member = true;
    const uInt asked = room - *n < UINT32_MAX / 2 ? (uInt)(room - *n) : UINT32_MAX / 2;
    inflater->next_out = (Bytef *)to + *n;
    inflater->avail_out = asked;
    const int code = inflate(inflater, Z_NO_FLUSH);
    *n += asked - inflater->avail_out;
    input->n_unpacked += asked - inflater->avail_out;
    if (code == Z_STREAM_END)
        input->is_in_member = false;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return fail_packed(input, err);
    return is_bomb(input) ? fail_bomb(input, err) : RF_OK;
}

static int read_packed(struct kineto_input *input, char *to, size_t room, size_t *n,
                       struct rf_err *err)
{
    int status = RF_OK;
    while (*n < room && !input->is_ended && status == RF_OK) {
        if (input->inflater.avail_in == 0)
            status = refill(input, err);
        if (status == RF_OK && !input->is_ended)
            status = unpack(input, to, room, n, err);
    }
    return status;
}

int kineto_input_read(struct kineto_input *input, char *to, size_t room, size_t *n,
                      struct rf_err *err)
{
    *n = 0;
    return input->is_packed ? read_packed(input, to, room, n, err)
                            : read_plain(input, to, room, n, err);
}
