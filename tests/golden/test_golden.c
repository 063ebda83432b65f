/* SPDX-License-Identifier: Apache-2.0 */
/* Every golden recording v*.rf reads as the text beside it says. Then every byte of it that is
 * not one of many zeros is changed, and it is cut off there: it is refused with a place in the
 * file, or reads as before where the byte means nothing; and it can be salvaged.
 *
 *     test_golden FOLDER             the test
 *     test_golden FOLDER --accept    writes the texts anew */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/layout.h"
#include "rf_dump.h"

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, __VA_ARGS__);                                                    \
            (void)fprintf(stderr, " (%s:%d: %s)\n", __FILE__, __LINE__, #condition);               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A file in memory, whose name in /proc is path. */
struct scratch {
    int fd;
    char path[64];
};

static char *dump_file(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    CHECK(rf_open(path, 0, &rec, &err) == RF_OK, "%s", err.text);
    char *text = rf_dump(rec);
    rf_close(rec);
    return text;
}

/* Opens a damaged copy. Returns whether it opened all the same, and is what it was. */
static int check_damaged(const struct scratch *s, const char *expected, size_t size, size_t at)
{
    struct rf_err err;
    rf_recording *rec;
    int status = rf_open(s->path, 0, &rec, &err);
    if (status == RF_OK) {
        char *text = rf_dump(rec);
        CHECK(strcmp(text, expected) == 0, "byte %zu changed what is read", at);
        free(text);
        rf_close(rec);
    } else {
        CHECK(status == RF_ERR_DAMAGED || status == RF_ERR_FORMAT, "byte %zu: %s", at, err.text);
        CHECK(err.offset <= size, "byte %zu: offset %zu", at, (size_t)err.offset);
        CHECK(strstr(err.text, s->path) != NULL, "byte %zu: %s", at, err.text);
    }
    int salvage = rf_open(s->path, RF_OPEN_SALVAGE, &rec, &err);
    CHECK(salvage == RF_OK || (salvage == RF_ERR_FORMAT || at < 64), "byte %zu: %s", at, err.text);
    if (salvage == RF_OK)
        rf_close(rec);
    return status == RF_OK;
}

/* The last minor version of each major one; first those that are written. */
static const struct {
    int major, minor;
} newest[] = {
    {RF_FORMAT_MAJOR, RF_FORMAT_MINOR}, {RF_FORMAT_COMPRESSED, RF_FORMAT_COMPRESSED_MINOR}, {2, 0}};
enum { N_WRITTEN = 2, N_MAJORS = sizeof(newest) / sizeof(newest[0]) };
_Static_assert(N_MAJORS == RF_FORMAT_COMPRESSED - RF_FORMAT_MAJOR + 1,
               "a major version is missing");

static int is_newest_of(int i, const char *name)
{
    char expected[32];
    (void)snprintf(expected, sizeof(expected), "v%d.%d.rf", newest[i].major, newest[i].minor);
    return strcmp(name, expected) == 0;
}

static int is_written(const char *name)
{
    int is_one = 0;
    for (int i = 0; i < N_WRITTEN; i++)
        is_one |= is_newest_of(i, name);
    return is_one;
}

/* Of the recordings as they are written now all bytes are tried, of the others one in four, which
 * is another one of each. In the middle of zeros, which a control page mostly is: one byte in 32.
 */
static int is_dull(const struct rfw_bytes *good, size_t i, const char *version)
{
    static const uint8_t zeros[17];
    if (!is_written(version) && (i ^ (size_t)version[3]) % 4 != 0)
        return 1;
    return i % 32 != 0 && i >= 8 && good->size - i > 8 &&
           memcmp(good->data + i - 8, zeros, sizeof(zeros)) == 0;
}

static void check_changes(const struct rfw_bytes *good, const char *expected, const char *version)
{
    struct scratch s = {.fd = memfd_create("golden", MFD_CLOEXEC)};
    size_t n_same = 0;
    (void)snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", s.fd);
    CHECK(s.fd >= 0 && write(s.fd, good->data, good->size) == (ssize_t)good->size, "no memory");
    for (size_t i = 0; i < good->size; i++) {
        if (is_dull(good, i, version))
            continue;
        uint8_t changed = good->data[i] ^ (uint8_t)(1u << i % 8);
        CHECK(pwrite(s.fd, &changed, 1, (off_t)i) == 1, "pwrite");
        n_same += (size_t)check_damaged(&s, expected, good->size, i);
        CHECK(pwrite(s.fd, &good->data[i], 1, (off_t)i) == 1, "pwrite");
    }
    /* the minor version, the session id and the unused bytes of two headers */
    CHECK(n_same <= 128, "%zu changed bytes went unnoticed", n_same);
    for (size_t i = good->size; i-- > 0;) {
        if (is_dull(good, i, version))
            continue;
        CHECK(ftruncate(s.fd, (off_t)i) == 0, "ftruncate");
        CHECK(!check_damaged(&s, expected, i, i), "cut off at %zu: opens", i);
    }
    (void)close(s.fd);
}

static void check_golden(const char *folder, const char *name, int is_accepting)
{
    char path[4096], text_path[4096];
    struct rfw_bytes good, expected;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    (void)snprintf(text_path, sizeof(text_path), "%s/%.*s.txt", folder, (int)strlen(name) - 3,
                   name);
    char *text = dump_file(path);
    if (is_accepting)
        rfw_write_file(text_path, text, strlen(text));
    rfw_read_file(text_path, &expected);
    rfw_add(&expected, "", 1);
    CHECK(strcmp((const char *)expected.data, text) == 0, "'%s' reads as:\n%s", path, text);
    rfw_read_file(path, &good);
    check_changes(&good, text, name);
    free(good.data);
    free(expected.data);
    free(text);
}

int main(int argc, char **argv)
{
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int n = 0, n_newest[N_MAJORS] = {0};
    CHECK(folder != NULL, "usage: %s FOLDER [--accept]", argv[0]);
    while ((entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] != 'v' || length < 4 || strcmp(entry->d_name + length - 3, ".rf") != 0)
            continue;
        check_golden(argv[1], entry->d_name, argc > 2 && strcmp(argv[2], "--accept") == 0);
        n++;
        for (int i = 0; i < N_MAJORS; i++)
            n_newest[i] += is_newest_of(i, entry->d_name);
    }
    (void)closedir(folder);
    for (int i = 0; i < N_MAJORS; i++)
        CHECK(n_newest[i] == 1, "no golden recording of version %d.%d in '%s'", newest[i].major,
              newest[i].minor, argv[1]);
    printf("%d golden recordings\n", n);
    return 0;
}
