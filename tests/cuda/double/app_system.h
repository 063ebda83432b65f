/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of app.c that look at the process, or use the driver itself. */
#ifndef RF_TESTS_DOUBLE_APP_SYSTEM_H
#define RF_TESTS_DOUBLE_APP_SYSTEM_H

/* Prints the other threads that signals from outside can reach. */
/* WORD_WORD:N: waits until the stand-in of libcupti has noted N calls that begin so. */
void app_await_call(const char *value);

void app_print_masks(const char *unused);

/* From now on SIGTERM is exit(3). */
void app_handle_term(const char *unused);

/* cuInit(0), and what it returns if that is not 0; errno stays. */
void app_init_driver(const char *unused);

/* Lowers the limit of address space to what is used now and so many MiB. */
void app_limit_memory(const char *mib);

#endif
