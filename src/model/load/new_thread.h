/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_LOAD_NEW_THREAD_H
#define RF_MODEL_LOAD_NEW_THREAD_H

#include <stdint.h>

struct rf_load;

/* A thread that has no records. Returns its index in load->thread, or RF_NO_INDEX. Not while other
 * threads decode, but under the mutex. */
uint32_t rf_load_add_thread(struct rf_load *load, uint32_t process, uint32_t tid, uint32_t serial);

#endif
