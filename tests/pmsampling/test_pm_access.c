/* SPDX-License-Identifier: Apache-2.0 */
/* May the counters be read: the driver's word, the process's rights, refusals, devices. */
#include <sys/stat.h>
#include <unistd.h>

#include "pm_test.h"
#include "pmsampling/pm_abi.h"
#include "pmsampling/pm_access.h"

static struct rf_pm_error err;
static char proc[64];

static void write_file(const char *path, const char *text)
{
    char whole[256];
    (void)snprintf(whole, sizeof(whole), "%s/%s", proc, path);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

static void make_folder(const char *path)
{
    char whole[256];
    (void)snprintf(whole, sizeof(whole), "%s/%s", proc, path);
    assert_int_equal(mkdir(whole, 0700), 0);
}

/* A /proc of our own. */
static int make_proc(void **state)
{
    (void)pm_test_setup(state);
    (void)snprintf(proc, sizeof(proc), "/tmp/rf-pm-XXXXXX");
    assert_non_null(mkdtemp(proc));
    make_folder("driver");
    make_folder("driver/nvidia");
    make_folder("self");
    write_file("self/status", "Name:\tx\nCapEff:\t0000000000000000\nThreads:\t1\n");
    return 0;
}

static int remove_proc(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", proc);
    return system(command) != 0 || pm_test_teardown(state) != 0;
}

static void test_params(void **state)
{
    (void)state;
    assert_int_equal(pm_access_is_restricted(proc), -1);
    write_file("driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n");
    assert_int_equal(pm_access_is_restricted(proc), 1);
    write_file("driver/nvidia/params", "RmProfilingAdminOnly: 0\nRmProfilingAdminOnlyX: 1\n");
    assert_int_equal(pm_access_is_restricted(proc), 0);
    write_file("driver/nvidia/params", "RmProfilingAdminOnlyX: 1\n");
    assert_int_equal(pm_access_is_restricted(proc), -1);
    write_file("driver/nvidia/params", "");
    assert_int_equal(pm_access_is_restricted(proc), -1);
}

static void test_capabilities(void **state)
{
    (void)state;
    assert_false(pm_access_has_capability(proc));
    write_file("self/status", "CapPrm:\tffffffffffffffff\nCapEff:\t0000000000200000\n");
    assert_true(pm_access_has_capability(proc)); /* CAP_SYS_ADMIN */
    write_file("self/status", "CapEff:\t0000004000000000\n");
    assert_true(pm_access_has_capability(proc)); /* CAP_PERFMON */
    write_file("self/status", "CapEff:\tffffffbfffdfffff\n");
    assert_false(pm_access_has_capability(proc)); /* all but these */
    assert_true(pm_access_has_capability("/nowhere"));
}

static void test_check(void **state)
{
    (void)state;
    assert_status(RF_PM_OK, pm_access_check(proc, &err)); /* the driver says nothing */
    write_file("driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
    assert_status(RF_PM_ERR_PRIVILEGES, pm_access_check(proc, &err));
    assert_says("as root");
    assert_says("CAP_SYS_ADMIN");
    assert_says("NVreg_RestrictProfilingToAdminUsers=0");
    assert_says("RmProfilingAdminOnly: 1");
    assert_int_equal(err.cupti, 0);
    write_file("self/status", "CapEff:\t0000000000200000\n");
    assert_status(RF_PM_OK, pm_access_check(proc, &err));
    write_file("self/status", "CapEff:\t0000000000000000\n");
    write_file("driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
    assert_status(RF_PM_OK, pm_access_check(proc, &err));
}

static void test_holders(void **state)
{
    char text[512];
    (void)state;
    pm_access_holders(proc, text, sizeof(text));
    assert_string_equal(text, "");
    make_folder("12");
    write_file("12/comm", "bash\n");
    write_file("12/maps", "7f00-7f01 r-xp 0 0:0 0 /usr/lib/libc.so.6\n");
    make_folder("34");
    write_file("34/comm", "nv-hostengine\n");
    make_folder("56");
    write_file("56/comm", "python3\n");
    write_file("56/maps", "7f00-7f01 r-xp 0 0:0 0 /opt/lib/libnvperf_target.so\n");
    make_folder("78");
    write_file("78/comm", "rangefinder\n");
    write_file("78/maps", "7f00-7f01 r-xp 0 0:0 0 /usr/lib/libc.so.6\n");
    make_folder("90");
    write_file("90/comm", "rangefinder\n");
    write_file("90/maps", "7f00-7f01 r-xp 0 0:0 0 /opt/lib/libcupti.so.13\n");
    make_folder("91");
    write_file("91/comm", "rangefinder\n"); /* of another user */
    pm_access_holders(proc, text, sizeof(text));
    assert_non_null(strstr(text, "process 34 (nv-hostengine)"));
    assert_non_null(strstr(text, "process 56 (python3)"));
    assert_null(strstr(text, "bash"));
    assert_null(strstr(text, "78"));
    assert_non_null(strstr(text, "process 90 (rangefinder)"));
    assert_non_null(strstr(text, "process 91 (rangefinder)"));
    pm_access_holders(proc, text, 20); /* no room for a whole name */
    assert_string_equal(text, "");
    pm_access_holders("/nowhere", text, sizeof(text));
    assert_string_equal(text, "");
}

/* ---- What cannot be sampled ---- */

static void check_refusal(int *field, int value, const char *text)
{
    rf_pm_collector *c;
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    cupti->supported = PM_UNSUPPORTED;
    *field = value;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_status(RF_PM_ERR_REFUSED, rf_pm_collector_enable(c, &err));
    assert_says(text);
    assert_int_equal(err.cupti, 27);
    assert_int_equal(cupti->enables, 0); /* asked before it is tried */
    rf_pm_collector_free(c);
    assert_status(RF_PM_OK, rf_pm_device_describe(0, &device, &err));
    assert_false(device.can_be_sampled);
    assert_non_null(strstr(device.reason, text));
    *field = PM_SUPPORTED;
}

static void test_refusals(void **state)
{
    int none;
    (void)state;
    check_refusal(&cupti->architecture, PM_UNSUPPORTED, "too old");
    check_refusal(&cupti->vgpu, PM_DISABLED, "enable_profiling=1");
    check_refusal(&cupti->vgpu, PM_UNSUPPORTED, "a vGPU");
    check_refusal(&cupti->confidential, PM_UNSUPPORTED, "confidential computing");
    check_refusal(&cupti->sli, PM_UNSUPPORTED, "SLI");
    check_refusal(&cupti->cmp, PM_UNSUPPORTED, "CMP");
    check_refusal(&cupti->wsl, PM_UNSUPPORTED, "Linux");
    check_refusal(&none, 0, "MIG, MPS");
}

/* What CUPTI does not know, or says it cannot tell, is tried. */
static void test_support_unknown(void **state)
{
    rf_pm_collector *c;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    cupti->supported = PM_SUPPORT_UNKNOWN;
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    cupti->supported = PM_LIMITED;
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    pm_test_fail("cuptiProfilerDeviceSupported", 999, 1);
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    rf_pm_collector_free(c);
}

/* ---- Devices ---- */

static void test_devices(void **state)
{
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    size_t n;
    (void)state;
    cupti->devices = 3;
    driver->devices = 3;
    assert_status(RF_PM_OK, rf_pm_device_count(&n, &err));
    assert_int_equal(n, 3);
    assert_status(RF_PM_OK, rf_pm_device_describe(2, &device, &err));
    assert_string_equal(device.name, "NVIDIA Stand-in 2");
    assert_string_equal(device.chip, "GH100");
    assert_string_equal(device.pci, "0000:1A:00.0");
    assert_int_equal(device.uuid[15], 0x12);
    assert_true(device.can_be_sampled);
    assert_string_equal(device.reason, "");
    assert_status(RF_PM_ERR_DEVICE, rf_pm_device_describe(3, &device, &err));
    assert_says("there is no GPU 3: CUDA sees 3");
}

static void check_no_device(int init, int status, const char *text)
{
    rf_pm_collector *c;
    driver->init = init;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_status(status, rf_pm_collector_enable(c, &err));
    assert_says(text);
    rf_pm_collector_free(c);
}

static void test_no_devices(void **state)
{
    rf_pm_collector *c;
    size_t n;
    (void)state;
    check_no_device(100, RF_PM_ERR_DEVICE, "CUDA sees none");
    assert_status(RF_PM_OK, rf_pm_device_count(&n, &err));
    assert_int_equal(n, 0);
    check_no_device(3, RF_PM_ERR_LIBRARY, "forked");
    check_no_device(803, RF_PM_ERR_LIBRARY, "cuInit: 803");
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_device_count(&n, &err));
    driver->init = 0;
    assert_status(RF_PM_OK, rf_pm_collector_new(7, &c, &err)); /* not tested yet */
    assert_status(RF_PM_ERR_DEVICE, rf_pm_collector_enable(c, &err));
    assert_int_equal(cupti->initializes, 0);
    rf_pm_collector_free(c);
}

#define ACCESS_TEST(name) cmocka_unit_test_setup_teardown(name, make_proc, remove_proc)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACCESS_TEST(test_params),  ACCESS_TEST(test_capabilities), ACCESS_TEST(test_check),
        ACCESS_TEST(test_holders), PM_TEST(test_refusals),         PM_TEST(test_support_unknown),
        PM_TEST(test_devices),     PM_TEST(test_no_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
