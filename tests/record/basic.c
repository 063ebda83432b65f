/* SPDX-License-Identifier: Apache-2.0 */
/* Plain use, to be compared call by call: nothing here is unusual. */
#include "truth.h"

#include "modes.h"

#include <pthread.h>

static void marks_of_every_payload(const struct truth_domain *domain)
{
    nvtxEventAttributes_t a = truth_attributes("u64");
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = UINT64_MAX;
    truth_mark_ex(domain, &a, NULL);
    a.payload.ullValue = 0;
    truth_mark_ex(domain, &a, NULL);
    a = truth_attributes("i64");
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = -5;
    truth_mark_ex(domain, &a, NULL);
    a = truth_attributes("double");
    a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    a.payload.dValue = 3.25e-300;
    truth_mark_ex(domain, &a, NULL);
    a = truth_attributes("u32");
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
    a.payload.uiValue = UINT32_MAX;
    truth_mark_ex(domain, &a, NULL);
    a = truth_attributes("i32");
    a.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    a.payload.iValue = -7;
    truth_mark_ex(domain, &a, NULL);
    a = truth_attributes("float");
    a.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
    a.payload.fValue = 1.1f;
    truth_mark_ex(domain, &a, NULL);
}

static void marks_of_every_attribute(const struct truth_domain *domain)
{
    static const uint32_t colors[] = {0xff0000ffu, 0x7f123456u, 0x00abcdefu, 0, UINT32_MAX};
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        nvtxEventAttributes_t a = truth_attributes("color");
        a.colorType = NVTX_COLOR_ARGB;
        a.color = colors[i];
        truth_mark_ex(domain, &a, NULL);
        a.colorType = NVTX_COLOR_UNKNOWN; /* the color is then none */
        truth_mark_ex(domain, &a, NULL);
    }
    static const uint32_t categories[] = {1, 5, 77, 0x80000000u, UINT32_MAX};
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++) {
        nvtxEventAttributes_t a = truth_attributes("category");
        a.category = categories[i];
        truth_mark_ex(domain, &a, NULL);
    }
    nvtxEventAttributes_t all = truth_attributes("all at once");
    all.colorType = NVTX_COLOR_ARGB;
    all.color = 0xff010203u;
    all.category = 9;
    all.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    all.payload.dValue = -0.0;
    truth_mark_ex(domain, &all, NULL);
    truth_push_ex(domain, &all, NULL);
    if (domain)
        truth_domain_pop(domain);
    else
        truth_pop();
    truth_end(truth_start_ex(domain, &all, NULL));
    nvtxEventAttributes_t none = truth_attributes(NULL);
    truth_mark_ex(domain, &none, NULL);
}

static void registered_strings(const struct truth_domain *domain)
{
    static const char *const texts[] = {"reg-one", "reg two", "reg-one", "", "reg-\xc3\xa9"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        nvtxEventAttributes_t a = truth_attributes(NULL);
        char buffer[64];
        snprintf(buffer, sizeof buffer, "%s", texts[i]);
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterStringA(domain ? domain->handle : NULL, buffer);
        memset(buffer, 'X', sizeof buffer); /* it was copied */
        truth_mark_ex(domain, &a, texts[i]);
        truth_push_ex(domain, &a, texts[i]);
        if (domain)
            truth_domain_pop(domain);
        else
            truth_pop();
    }
}

/* Text of every length around the widths that copying works in, at every alignment. */
static void texts_of_every_length(void)
{
    static char buffer[4096];
    for (size_t size = 1; size < 700; size += size < 80 ? 1 : 37) {
        for (size_t shift = 0; shift < 16; shift += 5) {
            char *text = buffer + shift;
            for (size_t i = 0; i < size; i++)
                text[i] = (char)('a' + (i * 7 + size) % 26);
            text[size] = 0;
            truth_mark(text);
            memset(buffer, '#', sizeof buffer); /* what is behind the end must not be recorded */
        }
    }
}

static int run_all(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct truth_domain one = truth_domain_make("dom.one");
    struct truth_domain two = truth_domain_make("dom.two.\xc3\xa9");
    printf("standard output\n");
    truth_push("outer");
    marks_of_every_payload(NULL);
    marks_of_every_payload(&one);
    marks_of_every_attribute(NULL);
    marks_of_every_attribute(&two);
    registered_strings(NULL);
    registered_strings(&one);
    registered_strings(&two);
    texts_of_every_length();
    nvtxRangeId_t a = truth_start("crossing a"), b = truth_start("crossing b");
    truth_end(a);
    truth_push("inner");
    truth_pop();
    truth_end(b);
    truth_pop();
    fprintf(stderr, "standard error\n");
    return 7;
}

/* Ranges that are equal in everything, and some without length. */
static int run_identical(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < 1000; i++) {
        truth_push("same");
        truth_push("same");
        truth_pop();
        truth_pop();
        nvtxRangeId_t a = truth_start("same"), b = truth_start("same");
        truth_end(b);
        truth_end(a);
    }
    return 0;
}

enum { N_THREADS = 8, N_STEPS = 3000, N_DOMAINS = 4, MAX_DEPTH = 20 };

static struct truth_domain domains[N_DOMAINS];
static nvtxStringHandle_t strings[N_DOMAINS][4];
static const char *const string_texts[4] = {"alpha", "beta", "gamma", "delta"};

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static nvtxEventAttributes_t random_attributes(uint32_t *state, uint32_t domain, char *text,
                                               const char **registered)
{
    nvtxEventAttributes_t a = truth_attributes(text);
    uint32_t choice = random_next(state);
    snprintf(text, 64, "text %u %.*s", (unsigned)(choice & 1023), (int)(choice >> 10 & 31),
             "0123456789abcdefghijklmnopqrstuvwxyz");
    *registered = NULL;
    if (choice & 1) {
        uint32_t i = choice >> 1 & 3;
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = strings[domain][i];
        *registered = string_texts[i];
    }
    choice = random_next(state);
    if (choice & 1) {
        a.colorType = NVTX_COLOR_ARGB;
        a.color = choice;
    }
    if (choice & 2)
        a.category = choice >> 4;
    if (choice & 4) {
        a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        a.payload.ullValue = (uint64_t)choice << 30;
    }
    return a;
}

/* A thread that does at random what threads do; it ends with nothing open. */
static void *random_thread(void *number)
{
    uint32_t state = (uint32_t)(uintptr_t)number;
    uint32_t depth[N_DOMAINS] = {0};
    nvtxRangeId_t open[8] = {0};
    for (int step = 0; step < N_STEPS; step++) {
        uint32_t domain = random_next(&state) % N_DOMAINS;
        const char *registered;
        char text[64];
        nvtxEventAttributes_t a = random_attributes(&state, domain, text, &registered);
        uint32_t i = random_next(&state) % 8;
        switch (random_next(&state) % 5) {
        case 0:
            truth_mark_ex(&domains[domain], &a, registered);
            break;
        case 1:
            if (depth[domain] < MAX_DEPTH) {
                truth_push_ex(&domains[domain], &a, registered);
                depth[domain]++;
            }
            break;
        case 2:
            if (depth[domain]) {
                truth_domain_pop(&domains[domain]);
                depth[domain]--;
            }
            break;
        default:
            if (open[i]) {
                truth_end(open[i]);
                open[i] = 0;
            } else {
                open[i] = truth_start_ex(&domains[domain], &a, registered);
            }
        }
    }
    for (uint32_t domain = 0; domain < N_DOMAINS; domain++)
        while (depth[domain]--)
            truth_domain_pop(&domains[domain]);
    for (int i = 0; i < 8; i++)
        if (open[i])
            truth_end(open[i]);
    return NULL;
}

static int run_random(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    uintptr_t seed = argc > 0 ? strtoul(argv[0], NULL, 10) : 1;
    static char names[N_DOMAINS][16];
    for (uint32_t d = 0; d < N_DOMAINS; d++) {
        snprintf(names[d], sizeof names[d], "domain %u", (unsigned)d);
        domains[d] = truth_domain_make(names[d]);
        for (int i = 0; i < 4; i++)
            strings[d][i] = nvtxDomainRegisterStringA(domains[d].handle, string_texts[i]);
    }
    for (uintptr_t i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, random_thread, (void *)(seed * 1000 + i)))
            return 1;
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static nvtxRangeId_t handed_over[100];

static void *ender(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        truth_end(handed_over[i]);
    return NULL;
}

/* Ranges that another thread ends. */
static int run_cross_thread(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    for (int i = 0; i < 100; i++)
        handed_over[i] = truth_start("handed over");
    if (pthread_create(&thread, NULL, ender, NULL))
        return 1;
    pthread_join(thread, NULL);
    truth_mark("after");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"all", run_all},       {"identical", run_identical},
        {"random", run_random}, {"cross-thread", run_cross_thread},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
