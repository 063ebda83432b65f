/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/why_empty.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LOOKED_AT (256 << 20)

/* What the NVTX headers leave in a program that uses them. */
static const char trace_of_nvtx[] = "NVTX_INJECTION64_PATH";

/* The path of the loader that the program is linked to, which loads libraries. NULL: it has none.
 * "": the file is damaged. */
static const char *find_loader(const unsigned char *data, size_t size)
{
    const Elf64_Ehdr *header = (const void *)data;
    if (size < sizeof(*header) || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_phoff > size || header->e_phnum > (size - header->e_phoff) / sizeof(Elf64_Phdr))
        return "";
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, data + header->e_phoff + i * sizeof(segment), sizeof(segment));
        if (segment.p_type != PT_INTERP)
            continue;
        if (segment.p_offset >= size || segment.p_filesz > size - segment.p_offset ||
            memchr(data + segment.p_offset, '\0', segment.p_filesz) == NULL)
            return "";
        return (const char *)data + segment.p_offset;
    }
    return NULL;
}

/* data: an ELF file. */
static const char *why_not_loaded(const unsigned char *data, size_t size, mode_t mode)
{
    if (data[EI_CLASS] != ELFCLASS64)
        return "the program is a 32-bit one, and only 64-bit programs can be recorded";
    const char *loader = find_loader(data, size);
    if (loader == NULL)
        return "the program is statically linked, and cannot load the recorder";
    if (strstr(loader, "/ld-musl-") != NULL)
        return "the program uses the C library musl, and the recorder needs glibc: build the "
               "program for glibc, and record it where glibc is";
    if (mode & (S_ISUID | S_ISGID))
        return "the program runs with another user's rights (setuid), and drops the variables that "
               "load the recorder";
    return NULL;
}

static const char *why_no_nvtx(const unsigned char *data, size_t size, mode_t mode)
{
    const char *reason = why_not_loaded(data, size, mode);
    if (reason != NULL)
        return reason;
    if (memmem(data, size, trace_of_nvtx, sizeof(trace_of_nvtx) - 1) == NULL)
        return "the program itself does not use NVTX (or was built with NVTX_DISABLE), and no "
               "library that it loaded called it";
    return "the program can use NVTX, but no annotation was executed";
}

/* The result of look for the program; NULL where it is not an ELF file, or cannot be read. */
static const char *examine(const char *path,
                           const char *(*look)(const unsigned char *, size_t, mode_t))
{
    const char *reason = NULL;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *data = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= EI_NIDENT &&
        st.st_size <= MAX_LOOKED_AT)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    if (data == MAP_FAILED)
        return NULL;
    if (memcmp(data, ELFMAG, SELFMAG) == 0)
        reason = look(data, (size_t)st.st_size, st.st_mode);
    (void)munmap(data, (size_t)st.st_size);
    return reason;
}

static const char *why_other_user(const unsigned char *data, size_t size, mode_t mode)
{
    static const char *const calls[] = {"setuid", "setreuid", "setresuid"};
    (void)mode;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (memmem(data, size, calls[i], strlen(calls[i]) + 1) != NULL)
            return calls[i];
    return NULL;
}

static const char *find_nvtx(const unsigned char *data, size_t size, mode_t mode)
{
    (void)mode;
    return memmem(data, size, trace_of_nvtx, sizeof(trace_of_nvtx) - 1);
}

bool cli_uses_nvtx(const char *path)
{
    return examine(path, find_nvtx) != NULL;
}

bool cli_can_change_user(const char *path)
{
    return examine(path, why_other_user) != NULL;
}

const char *cli_why_not_loaded(const char *path)
{
    return examine(path, why_not_loaded);
}

const char *cli_why_empty(const char *path, bool is_loaded)
{
    if (is_loaded)
        return "NVTX was initialised, but no annotation was executed (or --nvtx-domain-include or "
               "--nvtx-domain-exclude left none)";
    const char *reason = examine(path, why_no_nvtx);
    return reason != NULL ? reason : "no process called NVTX";
}
