/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and names that other tools drop or die of, and structures of other sizes. */
#include "truth.h"

#include "modes.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

static void mark_attributes(const char *expected, const nvtxEventAttributes_t *a)
{
    char *state = truth_begin_string("mark", NULL, expected);
    nvtxMarkEx(a);
    truth_done(state);
}

/* Everything that takes text, with none. */
static int run_null(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_mark("before");
    truth_mark(NULL);
    truth_push(NULL);
    truth_pop();
    truth_end(truth_start(NULL));
    char *state = truth_begin_string("mark", NULL, NULL);
    nvtxMarkW(NULL);
    truth_done(state);
    state = truth_begin_string("push", NULL, NULL);
    nvtxRangePushW(NULL);
    truth_done(state);
    truth_pop();
    nvtxEventAttributes_t a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    mark_attributes(NULL, &a);
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    mark_attributes(NULL, &a);
    struct truth_domain null_domain = {nvtxDomainCreateA(NULL), NULL};
    (void)nvtxDomainCreateW(NULL);
    (void)null_domain;
    nvtxNameCategoryA(1, NULL);
    nvtxNameCategoryW(1, NULL);
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), NULL);
    nvtxNameOsThreadW((uint32_t)syscall(SYS_gettid), NULL);
    nvtxStringHandle_t handle = nvtxDomainRegisterStringA(NULL, NULL);
    a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = handle;
    nvtxRangePushEx(&a);
    nvtxRangePop();
    truth_mark("after");
    return 0;
}

/* A NULL structure is no event; nothing may be read through it. */
static int run_null_attributes(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_mark("before");
    nvtxMarkEx(NULL);
    nvtxRangePushEx(NULL);
    nvtxRangePop();
    nvtxRangeEnd(nvtxRangeStartEx(NULL));
    truth_mark("after");
    return 0;
}

static int run_empty(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_mark("");
    truth_push("");
    truth_pop();
    truth_end(truth_start(""));
    char *state = truth_begin_string("mark", NULL, "");
    nvtxMarkW(L"");
    truth_done(state);
    struct truth_domain empty = truth_domain_make("");
    nvtxEventAttributes_t a = truth_attributes("in a domain with an empty name");
    truth_mark_ex(&empty, &a, NULL);
    nvtxNameCategoryA(1, "");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "");
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(empty.handle, "");
    truth_mark_ex(&empty, &a, "");
    return 0;
}

static char *long_text(size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (i * 31 + size) % 26);
    text[size] = 0;
    return text;
}

static int run_long(int argc, char **argv)
{
    (void)argc, (void)argv;
    static const size_t sizes[] = {255,   1023,  4095,  8191,  32000,  65000,  65240,   65300,
                                   65400, 65535, 65536, 65600, 131072, 200000, 1 << 20, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *text = long_text(sizes[i]);
        truth_mark(text);
        truth_push(text);
        nvtxRangeId_t id = truth_start(text);
        nvtxEventAttributes_t a = truth_attributes(NULL);
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterStringA(NULL, text);
        truth_mark_ex(NULL, &a, text);
        truth_end(id);
        truth_pop();
        free(text);
    }
    char *name = long_text(1 << 20);
    struct truth_domain domain = truth_domain_make(name);
    nvtxEventAttributes_t a = truth_attributes("in a domain with a long name");
    a.category = 3;
    nvtxDomainNameCategoryA(domain.handle, 3, name);
    truth_mark_ex(&domain, &a, NULL);
    free(name);
    return 0;
}

static int run_invalid_utf8(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_mark("bad \xff\xfe\xc3");
    truth_push("\x80");
    truth_pop();
    truth_mark("tab\tnewline\nquote\"'back\\slash\x01\x1f\x7f");
    truth_mark("\xed\xa0\x80 surrogate");
    truth_mark("\xf5\x80\x80\x80 above unicode");
    struct truth_domain domain = truth_domain_make("domain \xff");
    nvtxEventAttributes_t a = truth_attributes("\xc3\x28");
    truth_mark_ex(&domain, &a, NULL);
    nvtxNameCategoryA(1, "category \xff");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "thread \xff");
    return 0;
}

static void mark_wide(const wchar_t *wide, const char *expected)
{
    char *state = truth_begin_string("mark", NULL, expected);
    nvtxMarkW(wide);
    truth_done(state);
    state = truth_begin_string("push", NULL, expected);
    nvtxRangePushW(wide);
    truth_done(state);
    truth_pop();
    nvtxEventAttributes_t a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = wide;
    state = truth_begin_string("start", NULL, expected);
    nvtxRangeId_t id = nvtxRangeStartEx(&a);
    truth_done(state);
    truth_note_id(id);
    truth_end(id);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringW(NULL, wide);
    truth_mark_ex(NULL, &a, expected);
}

/* Wide text becomes UTF-8; what is no code point becomes U+FFFD. */
static int run_wide(int argc, char **argv)
{
    (void)argc, (void)argv;
    mark_wide(L"plain", "plain");
    mark_wide(L"\x00e9\x65e5", "\xc3\xa9\xe6\x97\xa5");
    mark_wide(L"\x1f600 \x10ffff", "\xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
    mark_wide(L"\x7f\x80\x7ff\x800\xffff\x10000",
              "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80");
    mark_wide(L"a\x110000z", "a\xef\xbf\xbdz");
    mark_wide(L"a\xd800z", "a\xef\xbf\xbdz");
    static const wchar_t negative[] = {L'n', (wchar_t)-1, L'e', 0};
    mark_wide(negative, "n\xef\xbf\xbd"
                        "e");
    static wchar_t wide[70001];
    static char expected[140001];
    for (size_t i = 0; i < 70000; i++) {
        wide[i] = 0xe9;
        memcpy(expected + 2 * i, "\xc3\xa9", 2);
    }
    mark_wide(wide, expected);
    char *state = truth_begin_string("mark", "d\xc3\xa9", "in a wide domain");
    nvtxDomainHandle_t domain = nvtxDomainCreateW(L"d\x00e9");
    nvtxEventAttributes_t a = truth_attributes("in a wide domain");
    nvtxDomainMarkEx(domain, &a);
    truth_done(state);
    nvtxDomainNameCategoryW(domain, 1, L"c\x00e9");
    nvtxNameOsThreadW((uint32_t)syscall(SYS_gettid), L"thr\x00e9"
                                                     L"ad");
    return 0;
}

/* The structure as NVTX 1 and 2 declared it, and as an unknown later version might: what is
 * behind the declared size is another's memory, here poisoned. */
static int run_sizes(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxEventAttributes_t a = truth_attributes("version 1");
    a.version = 1;
    a.category = 4;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff112233u;
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = 17;
    truth_mark_ex(NULL, &a, NULL);
    a.version = 2;
    a.message.ascii = "version 2";
    truth_mark_ex(NULL, &a, NULL);
    a.version = 99;
    a.size = 200;
    a.message.ascii = "later version, larger";
    truth_mark_ex(NULL, &a, NULL);

    /* Cut before the message, before the payload, before everything. */
    static const uint16_t sizes[] = {47, 44, 40, 36, 32, 24, 16, 12, 8, 7, 4};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        a = truth_attributes("must not be read");
        a.size = sizes[i];
        a.category = 4;
        struct truth_note note = {.op = "mark"};
        if (sizes[i] >= 8) {
            note.flags = TRUTH_CATEGORY;
            note.category = 4;
        }
        char *state = truth_begin(&note);
        nvtxMarkEx(&a);
        truth_done(state);
    }
    /* A program that forgot to set the size: no version is smaller than today's. */
    a = truth_attributes("size not set");
    a.size = 0;
    truth_mark_ex(NULL, &a, NULL);

    /* At the end of a page whose neighbour cannot be read. */
    long page = sysconf(_SC_PAGESIZE);
    char *two =
        mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (two == MAP_FAILED)
        return 1;
    mprotect(two + page, (size_t)page, PROT_NONE);
    for (size_t size = 8; size <= sizeof a; size += 8) {
        a = truth_attributes(size >= sizeof a ? "at the end of a page" : NULL);
        a.size = (uint16_t)size;
        char *at = two + page - size;
        memcpy(at, &a, size);
        char *state =
            truth_begin_string("mark", NULL, size >= sizeof a ? "at the end of a page" : NULL);
        nvtxMarkEx((const nvtxEventAttributes_t *)(const void *)at);
        truth_done(state);
    }
    /* Text that ends with its page, of every length and alignment. */
    for (size_t size = 0; size < 200; size++) {
        char *text = two + page - size - 1;
        memset(text, 'p', size);
        text[size] = 0;
        truth_mark(text);
    }
    return 0;
}

/* A text in a file of 2 MiB that is mapped again and again. */
static char *huge_text(size_t size)
{
    enum { STEP = 2 << 20 };
    FILE *file = tmpfile();
    const size_t whole = (size / STEP + 1) * STEP;
    char *text = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file == NULL || text == MAP_FAILED || ftruncate(fileno(file), STEP) != 0)
        abort();
    for (size_t at = 0; at < whole; at += STEP) /* the last one has pages of its own */
        if (mmap(text + at, STEP, PROT_READ | PROT_WRITE,
                 (at + STEP < whole ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED, fileno(file),
                 0) != text + at)
            abort();
    memset(text, 'x', STEP);
    text[size] = '\0';
    return text;
}

/* A message of which readers would not keep the size, and a string that no definitions hold. */
static int run_huge(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxMarkA(huge_text(((size_t)256 << 20) + 5));
    (void)nvtxDomainRegisterStringA(NULL, huge_text(((size_t)1 << 30) + 5));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"null", run_null},   {"null-attributes", run_null_attributes},
        {"empty", run_empty}, {"long", run_long},
        {"huge", run_huge},   {"invalid-utf8", run_invalid_utf8},
        {"wide", run_wide},   {"sizes", run_sizes},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
