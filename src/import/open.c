/* SPDX-License-Identifier: Apache-2.0 */
/* rf_open(): chooses the reader of a file by its first bytes. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "import/kineto_open.h"
#include "import/nsys_report.h"
#include "import/nsys_sqlite.h"
#include "model/load/load_recording.h"
#include "model/load/open_selected.h"
#include "model/private_access.h"
#include "rangefinder/clocks.h"

#define N_FIRST_BYTES 16

#define PERFETTO                                                                                   \
    "a Perfetto trace, which can be written and not read; open the recording that it was made "    \
    "of, or the JSON of torch.profiler"

/* Files of other formats, by their first bytes. */
static const struct {
    char bytes[N_FIRST_BYTES];
    size_t n;
    const char *what; /* what it is, and what to do */
} foreign[] = {
    {"\x1f\x8b", 2, "compressed by gzip; unpack it with 'gunzip -k' and open what that writes"},
    {"\x28\xb5\x2f\xfd", 4,
     "compressed by zstd; unpack it with 'unzstd' and open what that writes"},
    {"\xfd"
     "7zXZ",
     5, "compressed by xz; unpack it with 'unxz -k' and open what that writes"},
    {"BZh", 3, "compressed by bzip2; unpack it with 'bunzip2 -k' and open what that writes"},
    {"PK\3\4", 4, "a zip archive; unpack it with 'unzip' and open what is in it"},
    {"PAR1", 4, "a Parquet file; export the report of nsys anew with 'nsys export -t sqlite'"},
    {"ARROW1", 6, "an Arrow file; export the report of nsys anew with 'nsys export -t sqlite'"},
    {"\x89HDF", 4, "an HDF5 file; export the report of nsys anew with 'nsys export -t sqlite'"},
    {"\n", 1, PERFETTO}, /* field 1 of a message: a packet */
};

/* Returns how many bytes were read. If the file cannot be opened, the reader of recordings says
 * why. */
static size_t read_first(const char *path, char bytes[N_FIRST_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd >= 0 ? read(fd, bytes, N_FIRST_BYTES) : -1;
    if (fd >= 0)
        (void)close(fd);
    return size > 0 ? (size_t)size : 0;
}

static bool begins_with(const char *bytes, size_t n_bytes, const char *magic, size_t n)
{
    return n_bytes >= n && memcmp(bytes, magic, n) == 0;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t size = strlen(path), n = strlen(ending);
    return size > n && strcmp(path + size - n, ending) == 0;
}

/* By its name: the format of a report is not documented. */
static bool is_report(const char *path)
{
    return has_ending(path, ".nsys-rep") || has_ending(path, ".qdrep");
}

/* Spares other files a second look. */
static bool may_be_json(const char *bytes, size_t n)
{
    return begins_with(bytes, n, "\x1f\x8b", 2) || begins_with(bytes, n, "\xef\xbb\xbf", 3) ||
           strchr("{[ \t\r\n", bytes[0]) != NULL;
}

static int fail_foreign(const char *path, const char *bytes, size_t n, struct rf_err *err)
{
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        if (begins_with(bytes, n, foreign[i].bytes, foreign[i].n))
            return rf_fail(err, RF_ERR_FORMAT, "'%s' is %s", path, foreign[i].what);
    if (n > 0 && has_ending(path, ".qdstrm"))
        return rf_fail(err, RF_ERR_FORMAT,
                       "'%s' is what nsys recorded and has not imported; run its QdstrmImporter on "
                       "it, and open the report that this writes",
                       path);
    return RF_OK;
}

/* options: those of a filter that follows; NULL: none. */
static int open_with(const char *path, unsigned flags, double drift,
                     const struct rf_filter_options *options, rf_recording **out,
                     struct rf_err *err)
{
    static const char sqlite[N_FIRST_BYTES] = "SQLite format 3";
    char bytes[N_FIRST_BYTES];
    if (out != NULL)
        *out = NULL;
    if (path == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_open: path or out is NULL");
    size_t n = read_first(path, bytes);
    const unsigned all = flags;
    if (options != NULL)
        flags &= ~(unsigned)RF_OPEN_ANY_SUMS;
    if (begins_with(bytes, n, sqlite, sizeof(sqlite)))
        return rf_nsys_open(path, flags, out, err);
    if (n > 0 && is_report(path))
        return rf_nsys_report_open(path, flags, out, err);
    if (n > 0 && (has_ending(path, ".pftrace") || has_ending(path, ".perfetto-trace")))
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is %s", path, PERFETTO);
    if (n > 0 && may_be_json(bytes, n) && kineto_is_json(path))
        return rf_kineto_open(path, flags, out, err);
    int status = fail_foreign(path, bytes, n, err);
    if (status != RF_OK)
        return status;
    return options != NULL ? rf_recording_open_selected(path, all, drift, options, out, err)
                           : rf_recording_open(path, flags, drift, NULL, out, err);
}

int rf_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    return open_with(path, flags, 0, NULL, out, err);
}

/* A clock that is off by more is none. */
#define MAX_DRIFT 0.01

int rf_open_selected(const char *path, unsigned flags, const struct rf_alignment *alignment,
                     const struct rf_filter_options *options, rf_recording **out,
                     struct rf_err *err)
{
    struct rf_alignment read;
    struct rf_filter_options filter;
    if (out != NULL)
        *out = NULL;
    int status = rf_sized_options(&read, sizeof(read), alignment, "rf_alignment", err);
    if (status == RF_OK && options != NULL)
        status = rf_sized_options(&filter, sizeof(filter), options, "rf_filter_options", err);
    if (status == RF_OK && !(read.drift >= -MAX_DRIFT && read.drift <= MAX_DRIFT))
        status = rf_fail(err, RF_ERR_USAGE, "rf_open_aligned: the drift is not that of a clock");
    return status == RF_OK
               ? open_with(path, flags, read.drift, options != NULL ? &filter : NULL, out, err)
               : status;
}

int rf_open_aligned(const char *path, unsigned flags, const struct rf_alignment *alignment,
                    rf_recording **out, struct rf_err *err)
{
    return rf_open_selected(path, flags, alignment, NULL, out, err);
}
