/* SPDX-License-Identifier: Apache-2.0 */
/* Why a program cannot load the recorder, said from its file alone, which may be damaged. */
#include "cli/profile/why_empty.h"

#include <elf.h>
#include <unistd.h>

#include "unit.h"

#define LOADER_AT 256

struct program {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    char filling[LOADER_AT - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr)];
    char loader[64];
};

/* loader: NULL: a program that is linked statically. */
static struct program program_of(const char *loader)
{
    struct program it;
    memset(&it, 0, sizeof(it));
    memcpy(it.header.e_ident, ELFMAG, SELFMAG);
    it.header.e_ident[EI_CLASS] = ELFCLASS64;
    it.header.e_phoff = offsetof(struct program, segment);
    it.header.e_phentsize = sizeof(Elf64_Phdr);
    it.header.e_phnum = 1;
    it.segment.p_type = loader != NULL ? PT_INTERP : PT_LOAD;
    it.segment.p_offset = LOADER_AT;
    if (loader != NULL) {
        it.segment.p_filesz = strlen(loader) + 1;
        memcpy(it.loader, loader, strlen(loader) + 1);
    }
    return it;
}

static const char *reason_of(const struct program *program)
{
    char path[] = "/tmp/rf-why-empty-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, program, sizeof(*program)), sizeof(*program));
    assert_int_equal(close(fd), 0);
    const char *reason = cli_why_not_loaded(path);
    assert_int_equal(unlink(path), 0);
    return reason;
}

static void test_loaders(void **state)
{
    (void)state;
    struct program glibc = program_of("/lib64/ld-linux-x86-64.so.2");
    struct program musl = program_of("/lib/ld-musl-x86_64.so.1");
    struct program none = program_of(NULL);
    assert_null(reason_of(&glibc));
    assert_non_null(strstr(reason_of(&musl), "C library musl"));
    assert_non_null(strstr(reason_of(&none), "statically linked"));
}

/* The path of the loader lies outside of the file, or has no end: nothing is said. */
static void test_damaged(void **state)
{
    (void)state;
    static const uint64_t places[] = {sizeof(struct program), UINT64_MAX, LOADER_AT};
    static const uint64_t sizes[] = {1, UINT64_MAX, UINT64_MAX - LOADER_AT + 8};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct program program = program_of("/lib/ld-musl-x86_64.so.1");
        program.segment.p_offset = places[i];
        program.segment.p_filesz = sizes[i];
        assert_null(reason_of(&program));
    }
    struct program endless = program_of("/lib/ld-musl-x86_64.so.1");
    endless.segment.p_filesz = 8;
    assert_null(reason_of(&endless));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loaders),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
