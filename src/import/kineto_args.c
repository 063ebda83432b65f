/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_args.h"

#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "import/kineto_json.h"
#include "import/kineto_texts.h"
#include "import/kineto_twice.h"
#include "model/fields/gpu_names.h"

/* ---- Calls and GPU work ---- */

/* Reads a number of at least `least` that 32 bits hold; -1 is what has no number. Others are 0, and
 * counted. Returns whether it was one. */
static bool read_number(struct kineto_work *work, const struct kineto_value *value, int64_t least,
                        uint32_t *to)
{
    int64_t number = 0;
    const bool is_number = kineto_integer(value, &number);
    const bool fits = is_number && number >= least && number <= UINT32_MAX;
    work->has_odd_number |= !fits && (is_number || value->type == KINETO_NUMBER);
    *to = fits ? (uint32_t)number : 0;
    return fits;
}

static uint32_t number_of(struct kineto_work *work, const struct kineto_value *value)
{
    uint32_t number;
    (void)read_number(work, value, -1, &number);
    return number;
}

static uint64_t large_number_of(struct kineto_work *work, const struct kineto_value *value)
{
    int64_t number = 0;
    const bool is_number = kineto_integer(value, &number);
    work->has_odd_number |= number < 0 || (!is_number && value->type == KINETO_NUMBER);
    return is_number && number > 0 ? (uint64_t)number : 0;
}

/* "[8, 1, 1]" */
static void read_triple(struct kineto_work *work, const struct kineto_value *value,
                        uint32_t triple[3])
{
    struct kineto_scan scan = {.at = value->at + 1, .end = value->at + value->size};
    struct kineto_value element;
    bool is_end = value->type != KINETO_NESTED || *value->at != '[' || kineto_peek(&scan) == ']';
    for (int i = 0; i < 3 && !is_end; i++) {
        if (!kineto_scan_value(&scan, &element))
            return;
        triple[i] = number_of(work, &element);
        if (!kineto_scan_next(&scan, ']', &is_end))
            return;
    }
}

static void read_place(struct kineto_work *work, const struct kineto_value *key,
                       const struct kineto_value *value)
{
    if (kineto_is(key, "device")) {
        work->has_device = read_number(work, value, -1, &work->device);
    } else if (kineto_is(key, "stream")) {
        work->has_stream = read_number(work, value, -1, &work->stream);
    } else if (kineto_is(key, "context")) {
        work->context = number_of(work, value);
    } else if (kineto_is(key, "correlation")) {
        work->correlation = large_number_of(work, value);
    } else if (kineto_is(key, "graph id") || kineto_is(key, "graph")) {
        work->graph = number_of(work, value);
    } else if (kineto_is(key, "graph exec")) {
        work->graph_exec = number_of(work, value);
    } else if (kineto_is(key, "result")) {
        uint32_t result;
        (void)read_number(work, value, INT32_MIN, &result);
        work->result = (int32_t)result;
    }
}

static void read_kernel(struct kineto_work *work, const struct kineto_value *key,
                        const struct kineto_value *value)
{
    struct rf_kernel *kernel = &work->kernel;
    switch (key->size) {
    case 4:
        if (kineto_is(key, "grid"))
            read_triple(work, value, kernel->grid);
        break;
    case 5:
        if (kineto_is(key, "block"))
            read_triple(work, value, kernel->block);
        break;
    case 10:
        if (kineto_is(key, "graph node"))
            kernel->graph_node = large_number_of(work, value);
        break;
    case 13:
        if (kineto_is(key, "shared memory"))
            kernel->dynamic_shared_bytes = number_of(work, value);
        else if (kineto_is(key, "graph node id"))
            kernel->graph_node = large_number_of(work, value);
        break;
    case 20:
        if (kineto_is(key, "registers per thread"))
            kernel->registers = number_of(work, value);
        else if (kineto_is(key, "static shared memory"))
            kernel->static_shared_bytes = number_of(work, value);
        break;
    case 23:
        if (kineto_is(key, "local memory per thread"))
            kernel->local_bytes_per_thread = number_of(work, value);
        break;
    default:
        break;
    }
}

static void read_transfer(struct kineto_work *work, const struct kineto_value *key,
                          const struct kineto_value *value)
{
    struct rf_transfer *transfer = &work->transfer;
    if (kineto_is(key, "bytes"))
        transfer->bytes = large_number_of(work, value);
    else if (kineto_is(key, "value"))
        transfer->value = number_of(work, value);
    else if (kineto_is(key, "peer device"))
        transfer->peer_device = number_of(work, value);
    else if (kineto_is(key, "graph node"))
        transfer->graph_node = large_number_of(work, value);
}

static void read_wait(struct kineto_work *work, const struct kineto_value *key,
                      const struct kineto_value *value)
{
    if (kineto_is(key, "wait_on_cuda_event_id"))
        work->wait.event = number_of(work, value);
}

/* ---- Words of names ---- */

/* The number of the word that text begins with; -1: none of them. */
static int word_at(const char *text, size_t size, const char *(*name_of)(int), int n)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < n; i++) {
        const char *word = name_of(i);
        const size_t length = strlen(word);
        if (length > longest && length <= size && memcmp(text, word, length) == 0) {
            longest = length;
            found = i;
        }
    }
    return found;
}

#define N_COPY_KINDS   14
#define N_MEMORY_KINDS 7

static void read_memory(const char *text, size_t size, uint8_t *memory)
{
    int kind = word_at(text, size, rf_memory_kind_name, N_MEMORY_KINDS);
    if (kind < 0 && size >= 7 && memcmp(text, "Unified", 7) == 0)
        kind = 4; /* CUPTI's word for what nsys calls Managed */
    if (kind >= 0)
        *memory = (uint8_t)kind;
}

/* Behind the first occurrence of a mark; NULL: there is none. */
static const char *behind(const struct kineto_text *name, const char *mark)
{
    const char *at = memmem(name->at, name->size, mark, strlen(mark));
    return at != NULL ? at + strlen(mark) : NULL;
}

void kineto_read_transfer_name(const struct kineto_text *name, struct rf_transfer *transfer)
{
    if (name->at == NULL)
        return;
    const char *end = name->at + name->size, *at;
    if ((at = behind(name, "Memcpy ")) != NULL) {
        const int kind = word_at(at, (size_t)(end - at), rf_copy_kind_name, N_COPY_KINDS);
        transfer->copy_kind = kind > 0 ? (uint8_t)kind : 0;
    }
    if ((at = behind(name, "(")) != NULL)
        read_memory(at, (size_t)(end - at), &transfer->source_memory);
    transfer->target_memory = transfer->source_memory;
    if ((at = behind(name, "-> ")) != NULL)
        read_memory(at, (size_t)(end - at), &transfer->target_memory);
}

/* As CUPTI numbers them. */
static uint8_t sync_type_of(const struct kineto_text *name)
{
    static const char *const names[] = {"Event Sync", "Stream Wait Event", "Stream Sync",
                                        "Context Sync"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (name->at != NULL && name->size == strlen(names[i]) &&
            memcmp(name->at, names[i], name->size) == 0)
            return (uint8_t)(i + 1);
    return 0;
}

static void begin_work(struct kineto_work *work, const struct kineto_item *item)
{
    memset(work, 0, sizeof(*work)); /* padding too: details are compared as bytes */
    switch (item->role) {
    case KINETO_MEMCPY:
    case KINETO_MEMSET:
        work->transfer.peer_device = RF_NO_INDEX;
        work->transfer.source_device = work->transfer.target_device = RF_NO_INDEX;
        work->transfer.source_context = work->transfer.target_context = RF_NO_INDEX;
        kineto_read_transfer_name(&item->name, &work->transfer);
        break;
    case KINETO_GRAPH:
        work->graph_exec = RF_NO_INDEX;
        break;
    case KINETO_SYNC:
        work->wait.event = UINT32_MAX;
        work->sync_type = sync_type_of(&item->name);
        break;
    default:
        break;
    }
}

/* Our own layout has it where the event's name is only the short one. */
static void read_full_name(struct kineto_part *part, const struct rf_strings *strings,
                           struct kineto_work *work, const struct kineto_value *value)
{
    if (value->type == KINETO_STRING && value->size > 0)
        kineto_set_text(part, strings, value, &work->full_name);
}

static void read_work(struct kineto_part *part, struct kineto_item *item,
                      const struct rf_strings *strings)
{
    if (rf_grow_array(&part->work, part->n_works, &part->work_room, sizeof(*part->work)) != RF_OK) {
        part->is_out_of_memory = true;
        return;
    }
    struct kineto_work *work = &part->work[part->n_works];
    item->work = (uint32_t)part->n_works++;
    begin_work(work, item);
    for (size_t i = 0; i < part->n_members; i++) {
        const struct kineto_value *key = &part->member[i].key, *value = &part->member[i].value;
        read_place(work, key, value);
        if (item->role == KINETO_KERNEL && kineto_is(key, "full name"))
            read_full_name(part, strings, work, value);
        else if (item->role == KINETO_KERNEL)
            read_kernel(work, key, value);
        else if (item->role == KINETO_SYNC)
            read_wait(work, key, value);
        else if (item->role == KINETO_MEMCPY || item->role == KINETO_MEMSET)
            read_transfer(work, key, value);
    }
    if (work->has_odd_number)
        item->flags |= KINETO_ODD_NUMBER;
    /* "shared memory" is all of it */
    if (item->role == KINETO_KERNEL &&
        work->kernel.dynamic_shared_bytes >= work->kernel.static_shared_bytes)
        work->kernel.dynamic_shared_bytes -= work->kernel.static_shared_bytes;
}

/* ---- Collectives ---- */

/* What the args of record_param_comms say. */
struct collective {
    const struct kineto_value *operation, *group, *type;
    int64_t n_in, n_out;
    int64_t group_number; /* -1: it has none */
};

static uint64_t size_of_type(const struct kineto_value *type)
{
    static const struct {
        const char *name;
        uint8_t size;
    } types[] = {{"Float", 4},        {"BFloat16", 2},       {"Half", 2},
                 {"Double", 8},       {"Long", 8},           {"Int", 4},
                 {"Short", 2},        {"Char", 1},           {"Byte", 1},
                 {"Bool", 1},         {"UInt16", 2},         {"UInt32", 4},
                 {"UInt64", 8},       {"Float8_e5m2", 1},    {"ComplexHalf", 4},
                 {"ComplexFloat", 8}, {"ComplexDouble", 16}, {"Float8_e4m3fn", 1}};
    for (size_t i = 0; type != NULL && i < sizeof(types) / sizeof(types[0]); i++)
        if (kineto_is(type, types[i].name))
            return types[i].size;
    return 0;
}

/* The same in all files of a job: FNV-1a. */
static uint64_t hash_of_name(const struct kineto_value *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < name->size; i++)
        hash = (hash ^ (uint8_t)name->at[i]) * 0x100000001b3u;
    return hash >> 1;
}

static void find_collective(const struct kineto_part *part, struct collective *of)
{
    *of = (struct collective){.group_number = -1};
    for (size_t i = 0; i < part->n_members; i++) {
        const struct kineto_value *key = &part->member[i].key, *value = &part->member[i].value;
        if (kineto_is(key, "Collective name"))
            of->operation = value;
        else if (kineto_is(key, "Process Group Name"))
            of->group = value;
        else if (kineto_is(key, "Process Group ID"))
            (void)kineto_integer(value, &of->group_number);
        else if (kineto_is(key, "dtype"))
            of->type = value;
        else if (kineto_is(key, "In msg nelems"))
            (void)kineto_integer(value, &of->n_in);
        else if (kineto_is(key, "Out msg nelems"))
            (void)kineto_integer(value, &of->n_out);
    }
}

/* The size of the message as NCCL counts it: what each rank gives to gather, and gets of what is
 * scattered. */
static uint64_t message_bytes(const struct collective *of)
{
    const int64_t least = of->n_in < of->n_out ? of->n_in : of->n_out;
    const int64_t n = least > 0 ? least : of->n_in + of->n_out - least;
    uint64_t bytes;
    return n <= 0 || __builtin_mul_overflow((uint64_t)n, size_of_type(of->type), &bytes) ? 0
                                                                                         : bytes;
}

#define COLLECTIVE_SIZE 96

/* Adds what reports look for in payloads, if the args are those of a collective. */
static char *put_collective(const struct kineto_part *part, char *to)
{
    struct collective of;
    find_collective(part, &of);
    if (of.operation == NULL)
        return to;
    if (of.group != NULL && !kineto_integer(of.group, &of.group_number))
        of.group_number = (int64_t)hash_of_name(of.group);
    if (of.group_number >= 0)
        to = rf_put_u64(rf_put_text(to, ",\"communicator\":"), (uint64_t)of.group_number);
    const uint64_t bytes = message_bytes(&of);
    if (bytes > 0)
        to = rf_put_u64(rf_put_text(to, ",\"bytes\":"), bytes);
    return to;
}

/* ---- Payloads ---- */

/* Numbers that only tell which event of the profiler it is, and what is empty. */
static bool is_dropped(const struct kineto_member *member)
{
    static const char *const dropped[] = {
        "External id",      "Ev Idx",      "Record function id",   "Python id",
        "Python parent id", "external id", "Profiler Event Index", "Trace name",
        "Trace iteration"};
    const unsigned char first = (unsigned char)(member->key.at[0] | ' ');
    if (first == 'e' || first == 'r' || first == 'p' || first == 't')
        for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
            if (kineto_is(&member->key, dropped[i]))
                return true;
    return member->value.type == KINETO_STRING && member->value.size == 0;
}

static size_t payload_room(const struct kineto_part *part)
{
    size_t room = COLLECTIVE_SIZE;
    for (size_t i = 0; i < part->n_members; i++)
        room +=
            kineto_value_room(&part->member[i].key) + kineto_value_room(&part->member[i].value) + 2;
    return room;
}

static bool takes_domain(const struct kineto_item *item, const struct kineto_member *member)
{
    return item->role == KINETO_ANNOTATIONS && member->value.type == KINETO_STRING &&
           kineto_is(&member->key, "domain");
}

/* Returns NULL when out of memory. */
static char *put_member_value(char *to, const struct kineto_value *value)
{
    char *end = kineto_may_have_twice(value) ? kineto_put_without_twice(to, value) : to;
    return end == to ? kineto_put_value(to, value) : end;
}

static void read_payload(struct kineto_part *part, struct kineto_item *item,
                         const struct rf_strings *strings)
{
    char *begin = NULL, *to = NULL;
    for (size_t i = 0; i < part->n_members; i++) {
        const struct kineto_member *member = &part->member[i];
        if (is_dropped(member))
            continue;
        if (takes_domain(item, member)) {
            kineto_set_text(part, strings, &member->value, &item->domain);
            continue;
        }
        if (begin == NULL && (begin = to = kineto_texts_take(part, payload_room(part))) == NULL)
            return;
        *to = to == begin ? '{' : ',';
        struct kineto_value key = member->key;
        key.type = KINETO_STRING;
        to = kineto_put_value(to + 1, &key);
        *to++ = ':';
        to = put_member_value(to, &member->value);
        if (to == NULL) {
            part->is_out_of_memory = true;
            return;
        }
    }
    if (begin == NULL)
        return;
    to = put_collective(part, to);
    *to++ = '}';
    const struct kineto_value json = {.at = begin, .size = (size_t)(to - begin)};
    kineto_set_text(part, strings, &json, &item->payload);
}

/* ---- Counters ---- */

static void add_sample(struct kineto_part *part, const struct kineto_text *key, double value,
                       uint32_t device)
{
    if (rf_grow_array(&part->sample, part->n_samples, &part->sample_room, sizeof(*part->sample)) !=
        RF_OK) {
        part->is_out_of_memory = true;
        return;
    }
    part->sample[part->n_samples++] = (struct kineto_sample){
        .key = *key, .value = value, .item = (uint32_t)part->n_items - 1, .device = device};
}

static void read_counter(struct kineto_part *part, const struct rf_strings *strings)
{
    for (size_t i = 0; i < part->n_members; i++) {
        struct kineto_text key = {.at = NULL};
        double value;
        if (!kineto_real(&part->member[i].value, &value))
            value = (double)NAN; /* counted as left out */
        kineto_set_text(part, strings, &part->member[i].key, &key);
        add_sample(part, &key, value, RF_NO_INDEX);
    }
}

#define DEVICE_CPU 0 /* Device Type: as PyTorch numbers them */

/* The memory that PyTorch's allocators have, which it tells with every block. */
static void read_memory_sizes(struct kineto_part *part, struct kineto_item *item,
                              const struct rf_strings *strings)
{
    int64_t type = DEVICE_CPU, device = -1;
    for (size_t i = 0; i < part->n_members; i++) {
        if (kineto_is(&part->member[i].key, "Device Type"))
            (void)kineto_integer(&part->member[i].value, &type);
        else if (kineto_is(&part->member[i].key, "Device Id"))
            (void)kineto_integer(&part->member[i].value, &device);
    }
    if (device >= RF_NO_INDEX) {
        item->flags |= KINETO_ODD_NUMBER;
        device = -1;
    }
    for (size_t i = 0; i < part->n_members; i++) {
        const struct kineto_member *member = &part->member[i];
        struct kineto_text key = {.at = NULL};
        double value;
        if ((!kineto_is(&member->key, "Total Allocated") &&
             !kineto_is(&member->key, "Total Reserved")) ||
            !kineto_real(&member->value, &value) || value < 0)
            continue;
        kineto_set_text(part, strings, &member->key, &key);
        add_sample(part, &key, value,
                   type == DEVICE_CPU || device < 0 ? RF_NO_INDEX : (uint32_t)device);
    }
}

/* ---- Metadata ---- */

static void read_metadata(struct kineto_part *part, struct kineto_item *item,
                          const struct rf_strings *strings)
{
    for (size_t i = 0; i < part->n_members; i++)
        if (kineto_is(&part->member[i].key, "name") && part->member[i].value.type == KINETO_STRING)
            kineto_set_text(part, strings, &part->member[i].value, &item->payload);
}

void kineto_read_args(struct kineto_part *part, struct kineto_item *item,
                      const struct rf_strings *strings)
{
    switch (item->phase) {
    case 'M':
        read_metadata(part, item, strings);
        return;
    case 'C':
        read_counter(part, strings);
        return;
    case 'X':
        if (kineto_is_work(item->role) || kineto_is_call(item->role)) {
            read_work(part, item, strings);
            return;
        }
        break;
    case 'i':
        if (item->name.size == 8 && memcmp(item->name.at, "[memory]", 8) == 0)
            read_memory_sizes(part, item, strings);
        break;
    default:
        break;
    }
    if (item->role != KINETO_PROJECTED && item->role != KINETO_SPAN)
        read_payload(part, item, strings);
}
