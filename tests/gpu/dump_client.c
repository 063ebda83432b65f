/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the buffers that CUPTI gives as they are (tests/cuda/raw_buffers.h), for tests that replay
 * them where no GPU is. It stops before the file is larger than RF_CLIENT_MAX_BYTES (8 MiB). */
#include "cuda/raw_buffers.h"
#include "gpu/client.h"

enum { MAX_NAMES = 65536 };

struct dump {
    FILE *file;
    long n_bytes, max_bytes;
    pthread_mutex_t lock;
    struct raw_buffers_name names[MAX_NAMES];
};

static struct dump dump = {.lock = PTHREAD_MUTEX_INITIALIZER, .max_bytes = 8 << 20};

__attribute__((visibility("default"))) int InitializeInjection(void);

static uint32_t find_names(uint8_t *buffer, size_t valid_size)
{
    struct rf_cupti_record *record = NULL;
    uint32_t n_names = 0;
    while (client_next(buffer, valid_size, &record) != NULL && n_names < MAX_NAMES) {
        uint32_t offset = raw_buffers_name_offset(record->kind);
        const char *text = NULL;
        if (offset > 0)
            memcpy(&text, (uint8_t *)record + offset, sizeof(text));
        if (text == NULL)
            continue;
        dump.names[n_names].offset = (uint32_t)((uint8_t *)record - buffer) + offset;
        dump.names[n_names].text = text;
        n_names++;
    }
    return n_names;
}

static void look(uint8_t *buffer, size_t valid_size)
{
    pthread_mutex_lock(&dump.lock);
    if (dump.file != NULL && dump.n_bytes + (long)valid_size <= dump.max_bytes) {
        uint32_t n_names = find_names(buffer, valid_size);
        raw_buffers_add(dump.file, buffer, (uint32_t)valid_size, dump.names, n_names);
        dump.n_bytes = ftell(dump.file);
    }
    pthread_mutex_unlock(&dump.lock);
}

static void open_file(void)
{
    const char *path = getenv("RF_CLIENT_OUT");
    uint32_t version = 0;
    client.cupti.get_version(&version);
    dump.file = path != NULL ? fopen(path, "wb") : NULL;
    if (dump.file == NULL || !raw_buffers_begin(dump.file, version))
        fprintf(stderr, "client: cannot write '%s'\n", path != NULL ? path : "");
}

static void close_file(void)
{
    if (dump.file != NULL)
        fclose(dump.file);
    dump.file = NULL;
}

int InitializeInjection(void)
{
    const char *max_bytes = getenv("RF_CLIENT_MAX_BYTES");
    if (max_bytes != NULL)
        dump.max_bytes = atol(max_bytes);
    client.look = look;
    client.finish = close_file;
    client_begin(open_file);
    return 1;
}
