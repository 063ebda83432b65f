/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/kineto_args.h"
#include "import/kineto_members.h"
#include "import/kineto_texts.h"

/* ---- Memory ---- */

void kineto_part_release(struct kineto_part *part)
{
    kineto_texts_free(part);
    free(part->item);
    free(part->work);
    free(part->sample);
    free(part->member);
    memset(part, 0, sizeof(*part));
}

/* ---- Categories ---- */

#define CATEGORY(name, role)                                                                       \
    {                                                                                              \
        name, sizeof(name) - 1, role                                                               \
    }

static const struct {
    const char *name;
    uint8_t size, role;
} categories[] = {
    CATEGORY("cpu_op", KINETO_RANGES),
    CATEGORY("python_function", KINETO_RANGES),
    CATEGORY("cuda_runtime", KINETO_RUNTIME),
    CATEGORY("kernel", KINETO_KERNEL),
    CATEGORY("user_annotation", KINETO_ANNOTATIONS),
    CATEGORY("gpu_memcpy", KINETO_MEMCPY),
    CATEGORY("gpu_memset", KINETO_MEMSET),
    CATEGORY("cuda_driver", KINETO_DRIVER),
    CATEGORY("cuda_sync", KINETO_SYNC),
    CATEGORY("gpu_user_annotation", KINETO_PROJECTED),
    CATEGORY("overhead", KINETO_OVERHEAD),
    CATEGORY("Trace", KINETO_SPAN),
    CATEGORY("cpu_instant_event", KINETO_ANNOTATIONS),
    /* Rangefinder's */
    CATEGORY("nvtx", KINETO_ANNOTATIONS),
    CATEGORY("nvtx_gpu", KINETO_PROJECTED),
    CATEGORY("cuda_graph", KINETO_GRAPH),
    CATEGORY("osrt", KINETO_OS),
    /* other accelerators */
    CATEGORY("xpu_runtime", KINETO_RUNTIME),
    CATEGORY("xpu_driver", KINETO_DRIVER),
    CATEGORY("mtia_runtime", KINETO_RUNTIME),
    CATEGORY("glow_runtime", KINETO_RUNTIME),
    CATEGORY("privateuse1_runtime", KINETO_RUNTIME),
    CATEGORY("privateuse1_driver", KINETO_DRIVER),
    /* names of PyTorch 1.8 */
    CATEGORY("Operator", KINETO_RANGES),
    CATEGORY("Runtime", KINETO_RUNTIME),
    CATEGORY("Kernel", KINETO_KERNEL),
    CATEGORY("Memcpy", KINETO_MEMCPY),
    CATEGORY("Memset", KINETO_MEMSET),
};

static uint8_t role_of(const struct kineto_value *category)
{
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        if (category->size == categories[i].size &&
            memcmp(category->at, categories[i].name, category->size) == 0)
            return categories[i].role;
    return KINETO_RANGES;
}

/* ---- An event ---- */

/* What is being read. */
struct reading {
    struct kineto_part *part;
    struct kineto_scan scan;
    const struct rf_strings *strings;
    const char *text;
    uint64_t offset;
};

static void set_id(const struct reading *of, const struct kineto_value *value, struct kineto_id *id)
{
    *id = (struct kineto_id){.is_there = value->type <= KINETO_NUMBER};
    if (id->is_there && !kineto_integer(value, &id->number))
        kineto_set_text(of->part, of->strings, value, &id->text);
}

static void set_time(const struct kineto_value *value, struct kineto_item *item)
{
    item->flags &= (uint8_t)~KINETO_HAS_TIME;
    if (kineto_nanoseconds(value, &item->start_ns))
        item->flags |= KINETO_HAS_TIME;
}

/* The end is a duration until the event is complete. */
static void set_duration(const struct kineto_value *value, struct kineto_item *item)
{
    item->flags &= (uint8_t) ~(KINETO_HAS_END | KINETO_NEGATIVE);
    if (!kineto_nanoseconds(value, &item->end_ns))
        return;
    item->flags |= KINETO_HAS_END;
    if (item->end_ns < 0) {
        item->flags |= KINETO_NEGATIVE;
        item->end_ns = 0;
    }
}

static bool read_id2(struct reading *of, struct kineto_item *item)
{
    struct kineto_value key, value;
    bool is_end = false;
    of->scan.at++;
    if (kineto_peek(&of->scan) == '}') {
        of->scan.at++;
        return true;
    }
    while (!is_end) {
        if (!kineto_scan_key(&of->scan, &key) || !kineto_scan_value(&of->scan, &value) ||
            !kineto_scan_next(&of->scan, '}', &is_end))
            return false;
        set_id(of, &value, &item->id);
    }
    return true;
}

static void set_member(const struct reading *of, const struct kineto_value *key,
                       const struct kineto_value *value, struct kineto_item *item)
{
    struct kineto_part *part = of->part;
    switch (key->size) {
    case 2:
        if (kineto_is(key, "ph"))
            item->phase = value->type == KINETO_STRING && value->size == 1 ? *value->at : 0;
        else if (kineto_is(key, "ts"))
            set_time(value, item);
        else if (kineto_is(key, "id"))
            set_id(of, value, &item->id);
        break;
    case 3:
        if (kineto_is(key, "pid"))
            set_id(of, value, &item->pid);
        else if (kineto_is(key, "tid"))
            set_id(of, value, &item->tid);
        else if (kineto_is(key, "dur"))
            set_duration(value, item);
        else if (kineto_is(key, "cat") && value->type == KINETO_STRING) {
            item->role = role_of(value);
            kineto_set_text(part, of->strings, value, &item->category);
        }
        break;
    case 4:
        if (kineto_is(key, "name") && value->type == KINETO_STRING)
            kineto_set_text(part, of->strings, value, &item->name);
        break;
    default:
        break;
    }
}

static bool read_member(struct reading *of, struct kineto_item *item)
{
    struct kineto_value key, value;
    if (!kineto_scan_key(&of->scan, &key))
        return false;
    const char c = kineto_peek(&of->scan);
    if (c == '{' && kineto_is(&key, "args"))
        return kineto_read_members(of->part, &of->scan, of->strings);
    if (c == '{' && kineto_is(&key, "id2"))
        return read_id2(of, item);
    if (!kineto_scan_value(&of->scan, &value))
        return false;
    set_member(of, &key, &value, item);
    return true;
}

/* Flows, which say once more what correlation ids say. */
static bool is_flow(char phase)
{
    return phase == 's' || phase == 't' || phase == 'f';
}

/* Whether the last item is left out for the same reason as the one before it, of the same category:
 * then that one stands for both. */
static bool joins_last(const struct kineto_part *part, const struct kineto_item *item)
{
    const struct kineto_item *last = item - 1;
    if (item == part->item || !kineto_has_no_time(item) || !kineto_has_no_time(last))
        return false;
    return item->category.size == last->category.size &&
           (item->category.size == 0 ||
            memcmp(item->category.at, last->category.at, item->category.size) == 0);
}

/* What an event needs besides its members; of what is left out only their number is kept. */
static void complete(struct reading *of, struct kineto_item *item)
{
    struct kineto_part *part = of->part;
    if (is_flow(item->phase))
        return;
    if (joins_last(part, item)) {
        item[-1].n_like++;
        return;
    }
    part->n_items++;
    if (kineto_has_no_time(item))
        return;
    if ((item->flags & KINETO_HAS_END) != 0 &&
        __builtin_add_overflow(item->start_ns, item->end_ns, &item->end_ns))
        item->end_ns = INT64_MAX;
    kineto_read_args(part, item, of->strings);
}

/* At the brace of an event. */
static bool read_event(struct reading *of)
{
    struct kineto_part *part = of->part;
    bool is_end = false;
    if (rf_grow_array(&part->item, part->n_items, &part->item_room, sizeof(*part->item)) != RF_OK) {
        part->is_out_of_memory = true;
        return false;
    }
    struct kineto_item *item = &part->item[part->n_items];
    memset(item, 0, sizeof(*item));
    item->work = RF_NO_INDEX;
    item->offset = of->offset + (uint64_t)(of->scan.at - of->text);
    part->n_members = 0;
    of->scan.at++;
    if (kineto_peek(&of->scan) == '}') {
        of->scan.at++;
        is_end = true;
    }
    while (!is_end)
        if (!read_member(of, item) || !kineto_scan_next(&of->scan, '}', &is_end))
            return false;
    complete(of, item);
    return true;
}

/* ---- All of them ---- */

static void end_at(const struct reading *of, enum kineto_end end, const char *at)
{
    of->part->end = (uint8_t)end;
    of->part->used = (size_t)(at - of->text);
    of->part->problem = of->scan.problem;
}

/* Reads events up to the end. A comma stands between any two; more or fewer are not minded. */
static void read_all(struct reading *of)
{
    struct kineto_scan *scan = &of->scan;
    while (!of->part->is_out_of_memory) {
        const char c = kineto_peek(scan);
        const char *begin = scan->at;
        if (c == '{') {
            if (!read_event(of)) {
                end_at(of, scan->problem == NULL ? KINETO_CUT : KINETO_WRONG,
                       scan->problem == NULL ? begin : scan->at);
                return;
            }
        } else if (c == ',') {
            scan->at++;
        } else if (c == ']') {
            scan->at++;
            end_at(of, KINETO_CLOSED, scan->at);
            return;
        } else if (scan->at == scan->end) {
            end_at(of, KINETO_MORE, scan->at);
            return;
        } else {
            (void)kineto_scan_fail(scan, "no event");
            end_at(of, KINETO_WRONG, scan->at);
            return;
        }
    }
}

void kineto_part_read(struct kineto_part *part, const char *text, size_t size, uint64_t offset,
                      const struct rf_strings *strings)
{
    struct reading of = {.part = part,
                         .scan = {.at = text, .end = text + size},
                         .strings = strings,
                         .text = text,
                         .offset = offset};
    part->n_items = part->n_works = part->n_samples = 0;
    part->is_out_of_memory = false;
    kineto_texts_free(part);
    read_all(&of);
}
