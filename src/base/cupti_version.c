/* SPDX-License-Identifier: Apache-2.0 */
/* cuptiGetVersion() stores a constant where its argument points to. Nothing of a file is believed:
 * it may be any. */
#include "base/cupti_version.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION     "cuptiGetVersion"
#define MAX_SECTIONS 512
#define MAX_TABLE    (8u << 20) /* bytes */
#define MAX_CODE     512u

struct file {
    int fd;
    Elf64_Ehdr header;
};

static bool read_at(const struct file *file, uint64_t at, void *data, size_t size)
{
    return at <= INT64_MAX && pread(file->fd, data, size, (off_t)at) == (ssize_t)size;
}

static bool read_section(const struct file *file, unsigned i, Elf64_Shdr *section)
{
    return i < file->header.e_shnum && i < MAX_SECTIONS &&
           read_at(file, file->header.e_shoff + i * sizeof(*section), section, sizeof(*section));
}

/* A whole section, with a zero behind it, for free(); NULL: it cannot be read. */
static char *read_table(const struct file *file, const Elf64_Shdr *section)
{
    char *table = section->sh_size <= MAX_TABLE ? calloc(1, (size_t)section->sh_size + 1) : NULL;
    if (table != NULL && !read_at(file, section->sh_offset, table, (size_t)section->sh_size)) {
        free(table);
        table = NULL;
    }
    return table;
}

static bool find_in(const Elf64_Sym *symbols, size_t n, const char *names, size_t size,
                    Elf64_Sym *found)
{
    for (size_t i = 0; i < n; i++) {
        if (symbols[i].st_name >= size || symbols[i].st_shndx == SHN_UNDEF ||
            strcmp(names + symbols[i].st_name, FUNCTION) != 0)
            continue;
        *found = symbols[i];
        return true;
    }
    return false;
}

static bool find_function(const struct file *file, Elf64_Sym *found)
{
    Elf64_Shdr table, strings;
    bool is_found = false;
    for (unsigned i = 0; !is_found && read_section(file, i, &table); i++) {
        if (table.sh_type != SHT_DYNSYM || !read_section(file, table.sh_link, &strings))
            continue;
        char *symbols = read_table(file, &table);
        char *names = read_table(file, &strings);
        is_found = symbols != NULL && names != NULL &&
                   find_in((const Elf64_Sym *)(const void *)symbols,
                           (size_t)table.sh_size / sizeof(Elf64_Sym), names,
                           (size_t)strings.sh_size, found);
        free(symbols);
        free(names);
    }
    return is_found;
}

/* Its code; how many bytes of it. */
static size_t read_code(const struct file *file, const Elf64_Sym *function, uint8_t code[MAX_CODE])
{
    Elf64_Phdr segment;
    size_t size = function->st_size < MAX_CODE ? (size_t)function->st_size : MAX_CODE;
    for (unsigned i = 0; i < file->header.e_phnum; i++) {
        if (!read_at(file, file->header.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
            return 0;
        uint64_t into = function->st_value - segment.p_vaddr;
        if (segment.p_type == PT_LOAD && function->st_value >= segment.p_vaddr &&
            into < segment.p_filesz && size <= segment.p_filesz - into)
            return read_at(file, segment.p_offset + into, code, size) ? size : 0;
    }
    return 0;
}

/* 17 and up to CUDA 12, then 130000. */
static bool is_version(uint32_t value)
{
    return (value >= 17 && value < 64) || (value >= 100000 && value < 10000000);
}

#if defined(__x86_64__)
/* movl $VALUE, (register) */
static uint32_t find_constant(const uint8_t *code, size_t size)
{
    uint32_t value;
    for (size_t i = 0; i + 6 <= size; i++) {
        bool is_store = code[i] == 0xc7 && code[i + 1] < 8 && code[i + 1] != 4 && code[i + 1] != 5;
        memcpy(&value, code + i + 2, sizeof(value));
        if (is_store && is_version(value))
            return value;
    }
    return 0;
}
#else
/* movz wN, #LOW; movk wN, #HIGH, lsl #16, which small values do not have. */
static uint32_t find_constant(const uint8_t *code, size_t size)
{
    uint32_t values[32] = {0};
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t word;
        memcpy(&word, code + i, sizeof(word));
        uint32_t *value = &values[word & 31], immediate = word >> 5 & 0xffff;
        if (word >> 21 == 0x52800000u >> 21)
            *value = immediate;
        else if (word >> 21 == 0x72a00000u >> 21)
            *value = (*value & 0xffff) | immediate << 16;
        else if (word >> 22 == 0xb9000000u >> 22 && is_version(*value)) /* str wN, [...] */
            return *value;
    }
    return 0;
}
#endif

uint32_t rf_cupti_version_of_file(const char *path)
{
    struct file file = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    uint8_t code[MAX_CODE];
    Elf64_Sym function;
    uint32_t version = 0;
    if (file.fd < 0)
        return 0;
    if (read_at(&file, 0, &file.header, sizeof(file.header)) &&
        memcmp(file.header.e_ident, ELFMAG, SELFMAG) == 0 &&
        file.header.e_ident[EI_CLASS] == ELFCLASS64 &&
        file.header.e_shentsize == sizeof(Elf64_Shdr) &&
        file.header.e_phentsize == sizeof(Elf64_Phdr) && find_function(&file, &function))
        version = find_constant(code, read_code(&file, &function, code));
    (void)close(file.fd);
    return version;
}
