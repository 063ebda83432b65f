/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a recording that can be given away: without what tells of the machine and of the person
 * at it. Events and names that the program gave stay as they are. */
#include "log/scrub.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "log/chunks.h"
#include "log/cuda.h"
#include "log/packer.h"

/* Of a process: its arguments, its environment, and the paths that it ran at. */
static bool is_private(const struct rf_def *def)
{
    uint64_t type = def->head & ((1u << RF_WORD_TYPE_BITS) - 1);
    return type == RF_REC_PROCESS && (def->index == RF_PROC_EXE || def->index == RF_PROC_ARG ||
                                      def->index == RF_PROC_CWD || def->index == RF_PROC_ENV);
}

/* Of the libcupti that was loaded: lines of facts, one of which is where it lies. */
static void remove_path(uint8_t *defs, uint64_t at, struct rf_def *def)
{
    static const char path[] = "path=";
    uint8_t *text = defs + at + sizeof(*def);
    const uint64_t room = 8 * (uint64_t)def->n_words - sizeof(*def);
    const uint64_t size = def->text_size < room ? def->text_size : room;
    uint64_t kept = 0, next;
    for (uint64_t line = 0; line < size; line = next) {
        const uint8_t *end = memchr(text + line, '\n', size - line);
        next = end != NULL ? (uint64_t)(end - text) + 1 : size;
        if (next - line >= sizeof(path) - 1 && memcmp(text + line, path, sizeof(path) - 1) == 0)
            continue;
        memmove(text + kept, text + line, next - line);
        kept += next - line;
    }
    memset(text + kept, 0, room - kept);
    def->text_size = (uint32_t)kept;
    memcpy(defs + at, def, sizeof(*def));
}

static bool is_library(const struct rf_def *def)
{
    return (def->head & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_CUDA_DEF &&
           def->domain == RF_CUDA_DEF_LIBRARY;
}

/* A definition without its head is one that was never finished: readers pass over it. */
static void scrub_defs(uint8_t *defs, uint64_t size)
{
    struct rf_def def;
    for (uint64_t at = 0; at + sizeof(def) <= size; at += 8 * (uint64_t)def.n_words) {
        memcpy(&def, defs + at, sizeof(def));
        if (is_library(&def))
            remove_path(defs, at, &def);
        if (!is_private(&def))
            continue;
        memset(defs + at + sizeof(def), 0, 8 * (uint64_t)def.n_words - sizeof(def));
        def = (struct rf_def){.tid = def.tid, .n_words = def.n_words, .text_size = RF_NO_TEXT};
        memcpy(defs + at, &def, sizeof(def));
    }
}

static int write_defs(struct rf_packer *p, const struct rf_log_process *process)
{
    uint64_t size = rf_defs_used_bytes(process->defs, process->defs_size, NULL);
    uint8_t *copy = malloc(size + 8);
    if (copy == NULL)
        return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot scrub: out of memory");
    if (size > 0)
        memcpy(copy, process->defs, size);
    scrub_defs(copy, size);
    const struct rf_log_process scrubbed = {process->number, copy, size};
    int status = rf_packer_write_defs(p, &scrubbed, NULL);
    free(copy);
    return status;
}

static int write_control(struct rf_packer *p, struct rf_control *control)
{
    memset(control->host, 0, sizeof(control->host));
    memset(control->boot_id, 0, sizeof(control->boot_id));
    memset(control->message, 0, sizeof(control->message)); /* they name files */
    control->n_messages = 0;
    control->shm_device = 0;
    control->time_namespace = 0;
    return rf_packer_write_control(p, control);
}

int rf_scrub(const char *input, const char *output, bool can_overwrite, struct rf_err *err)
{
    struct rf_log log;
    struct rf_packer p = {.out = {.fd = -1}, .err = err};
    int status = rf_packer_check_output(output, can_overwrite, err);
    if (status == RF_OK)
        status = rf_log_open(&log, input, 0, err);
    if (status != RF_OK)
        return status;
    rf_part_reader_init(&p.parts, &log);
    status = rf_packer_compress_as(&p, &log.control);
    if (status == RF_OK)
        status = rf_packer_open(&p, output, can_overwrite, &log.control);
    if (status == RF_OK)
        status = write_control(&p, &log.control);
    for (size_t i = 0; i < log.n_processes && status == RF_OK; i++)
        status = write_defs(&p, &log.process[i]);
    for (size_t i = 0; i < log.n_parts && status == RF_OK; i++)
        status = rf_packer_write_part(&p, &log.part[i]);
    for (size_t i = 0; i < log.n_metrics && status == RF_OK; i++)
        status = rf_packer_write_metrics(&p, &log.metrics[i]);
    if (status == RF_OK)
        status = rf_packer_write_index(&p);
    status = rf_packer_finish(&p, status);
    rf_log_close(&log);
    return status;
}
