/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_BUFFER_H
#define RF_READER_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>

/* Memory that several own. */
struct buffer {
    atomic_size_t n_references;
    void *memory;             /* that it lies in */
    _Alignas(64) char data[]; /* as Arrow advises */
};

struct buffer *buffer_new(size_t size); /* zeroed; NULL: out of memory */
struct buffer *buffer_retain(struct buffer *buffer);
void buffer_release(struct buffer *buffer); /* NULL is accepted */

#endif
