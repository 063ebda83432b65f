/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the recorder of this process waits in standby, and for which copies of NVTX. */
#include "record/standby/standby.h"

#include <stdlib.h>

#include "record/names/defs.h"
#include "record/process/session.h"

__attribute__((visibility("default"))) const void *rangefinder_standby_copy(unsigned index);

#define MAX_COPIES 256u

static bool is_wanted; /* a caller wants standby, whatever the environment says */
static const void *copies[MAX_COPIES];
static uint32_t n_copies;

enum rf_standby_wish rf_standby_wish(void)
{
    if (rf_recorder.is_standby || is_wanted)
        return RF_STANDBY_YES;
    const char *session = getenv("RANGEFINDER_SESSION");
    const char *pid = getenv("RANGEFINDER_STANDBY");
    if (pid == NULL || pid[0] < '1' || pid[0] > '9' || (session != NULL && session[0] != '\0'))
        return RF_STANDBY_NO;
    uint64_t number = 0;
    for (; *pid >= '0' && *pid <= '9'; pid++)
        number = number * 10 + (uint64_t)(*pid - '0');
    /* the variable was inherited: this program was started by the one that wants standby */
    return *pid == '\0' && number == rf_sys_getpid() ? RF_STANDBY_YES : RF_STANDBY_DECLINED;
}

void rf_standby_want(void)
{
    is_wanted = true;
}

bool rf_standby_open(void)
{
    if (!rf_session_blank() || !rf_defs_create_names())
        return false;
    rf_recorder.is_standby = 1;
    return true;
}

void rf_standby_add_copy(const void *get_table)
{
    uint32_t n = __atomic_load_n(&n_copies, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < MAX_COPIES; i++)
        if (__atomic_load_n(&copies[i], __ATOMIC_RELAXED) == get_table)
            return;
    n = __atomic_fetch_add(&n_copies, 1, __ATOMIC_ACQ_REL);
    if (n < MAX_COPIES)
        __atomic_store_n(&copies[n], get_table, __ATOMIC_RELEASE);
}

/* The functions by which the copies of NVTX in this process were attached; NULL: there are no
 * more. Their addresses are in the libraries of the copies. */
const void *rangefinder_standby_copy(unsigned index)
{
    return index < MAX_COPIES ? __atomic_load_n(&copies[index], __ATOMIC_ACQUIRE) : NULL;
}
