/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/* No struct will be larger: what claims to be was not initialised. */
#define MAX_SIZE ((size_t)64 << 10)

static size_t size_of(const void *sized)
{
    size_t size;
    memcpy(&size, sized, sizeof(size));
    return size;
}

static bool is_size(size_t size)
{
    return size >= sizeof(size_t) && size <= MAX_SIZE;
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

enum rf_sized rf_sized_read(void *to, size_t room, const void *from)
{
    memset(to, 0, room);
    memcpy(to, &room, sizeof(room));
    if (from == NULL)
        return RF_SIZED_OK;
    size_t size = size_of(from);
    if (!is_size(size))
        return RF_SIZED_UNSET;
    if (size > room && !is_zero((const unsigned char *)from + room, size - room))
        return RF_SIZED_NEWER;
    size_t shared = size < room ? size : room;
    memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size), shared - sizeof(size));
    return RF_SIZED_OK;
}

enum rf_sized rf_sized_write(void *to, size_t room, const void *from)
{
    size_t size = size_of(to);
    if (!is_size(size))
        return RF_SIZED_UNSET;
    size_t shared = size < room ? size : room;
    memset((char *)to + sizeof(size), 0, size - sizeof(size));
    memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size), shared - sizeof(size));
    return RF_SIZED_OK;
}

int rf_sized_options(void *to, size_t room, const void *from, const char *what, struct rf_err *err)
{
    switch (rf_sized_read(to, room, from)) {
    case RF_SIZED_UNSET:
        return rf_fail(err, RF_ERR_USAGE,
                       "the size of struct %s is not set: initialise it with its INIT macro", what);
    case RF_SIZED_NEWER:
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "struct %s has a member set that librangefinder %s does not know", what,
                       rf_version());
    default:
        return RF_OK;
    }
}
