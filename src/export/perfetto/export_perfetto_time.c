/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_time.h"

/* The trace's clock is BOOTTIME, which every part of Perfetto expects. Where it was not taken, the
 * machine is said not to have slept. Readers refuse times below 0. A trace is shown from its first
 * event on, what is said about it included. */
int64_t pf_base_ns(const rf_recording *rec, int64_t begin_ns)
{
    const struct rf_info *info = rf_get_info(rec);
    int64_t base_ns = info->epoch_boot_ns != 0 ? info->epoch_boot_ns : info->epoch_mono_ns;
    if (base_ns < 0)
        base_ns = 0;
    if (begin_ns < 0 && base_ns <= -(begin_ns + 1))
        base_ns = begin_ns == INT64_MIN ? INT64_MAX : -begin_ns;
    return base_ns;
}
