/* SPDX-License-Identifier: Apache-2.0 */
/* The COUNTS chunk of packed files: what it says is what reading the parts gives, whatever a file
 * claims. */
#include "unit.h"

#include "base/crc32c.h"
#include "log/chunks.h"
#include "log/pack.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Recordings ---- */

static void add_event(struct rfw_stream *s, int64_t ns, uint64_t domain)
{
    struct rfw_attr attr = {.text = "work", .domain = domain};
    uint64_t what = dice(100);
    if (what < 48)
        rfw_push(s, ns, &attr);
    else if (what < 90)
        rfw_pop(s, ns, domain);
    else
        rfw_mark(s, ns, &attr);
}

/* Parts of few and of many domains, nests across parts, pops too many, a start/end range or a loss
 * now and then. */
static void add_thread(struct rfw *w, uint32_t p, uint32_t slot, uint64_t domain)
{
    struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
    int64_t ns = 10;
    for (int part = 0; part < 12; part++) {
        uint64_t n_domains = dice(10) == 0 ? 9 : 1 + dice(4);
        for (int i = 0; i < 300; i++)
            add_event(s, ns += (int64_t)dice(30), dice(n_domains) * domain);
        if (dice(5) == 0)
            rfw_end(s, ns, rfw_start(s, ns, &(struct rfw_attr){.text = "start"}));
        struct rfw_part *next = rfw_next_part(s, ns);
        if (dice(10) == 0)
            next->part.lost_records = 3;
    }
}

static struct rfw *random_recording(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    uint64_t domain = rfw_domain(w, p, 1, 9, "D");
    w->has_early_copies = dice(2) == 0; /* the largest log becomes the file, or not */
    for (uint32_t slot = 0; slot < 3; slot++)
        add_thread(w, p, slot, domain);
    if (dice(4) == 0)
        rfw_domain_destroy(w, p, 1000, 9, domain);
    if (dice(2) == 0)
        rfw_exit(w, p, 100000);
    return w;
}

struct files {
    char *dir;
    char session[4096], packed[4096];
};

static struct files pack(const struct rfw *w)
{
    struct files f = {.dir = rfw_make_tmpdir()};
    struct rf_err err;
    (void)snprintf(f.session, sizeof(f.session), "%s/a.rfdir", f.dir);
    (void)snprintf(f.packed, sizeof(f.packed), "%s/a.rf", f.dir);
    rfw_save_directory(w, f.session);
    if (rf_pack(f.session, f.packed, 0, NULL, &err) != RF_OK)
        fail_msg("%s", err.text);
    return f;
}

static void remove_files(struct files *f)
{
    rfw_remove_tree(f->dir);
    free(f->dir);
}

static rf_recording *open_with(const char *path, unsigned flags)
{
    struct rf_err err;
    rf_recording *rec;
    if (rf_open(path, flags, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    return rec;
}

static void check_same(const rf_recording *a, const rf_recording *b)
{
    const struct rf_info *x = rf_get_info(a), *y = rf_get_info(b);
    assert_true(x->n_events == y->n_events && x->n_ranges == y->n_ranges);
    assert_true(x->n_marks == y->n_marks && x->n_cut == y->n_cut);
    assert_true(x->n_unmatched_ends == y->n_unmatched_ends && x->end_ns == y->end_ns);
    assert_true(x->n_lost_records == y->n_lost_records);
    assert_memory_equal(x->n_cut_by, y->n_cut_by, sizeof(x->n_cut_by));
    assert_int_equal(rf_n_domains(a), rf_n_domains(b));
    for (uint32_t i = 0; i < rf_n_domains(a); i++)
        assert_true(rf_domain_at(a, i)->n_annotations == rf_domain_at(b, i)->n_annotations);
    assert_int_equal(rf_n_threads(a), rf_n_threads(b));
    for (uint32_t t = 0; t < rf_n_threads(a); t++) {
        assert_true(rf_thread_at(a, t)->n_events == rf_thread_at(b, t)->n_events);
        assert_true(rf_thread_at(a, t)->first_ns == rf_thread_at(b, t)->first_ns);
        assert_true(rf_thread_at(a, t)->end_ns == rf_thread_at(b, t)->end_ns);
    }
}

/* ---- The chunks of a file ---- */

/* Where the first chunk of a type begins, with its header. */
static uint64_t find_chunk(const struct rfw_bytes *file, unsigned type,
                           struct rf_chunk_header *header)
{
    uint64_t at = sizeof(struct rf_file_header);
    while (rf_chunk_header_at(file->data, file->size, at, header) && header->type != type)
        at += sizeof(*header) + header->size;
    assert_int_equal(header->type, type);
    return at;
}

/* Makes the checksums of the last chunk before the index, and of the index, right again. */
static void sign(struct rfw_bytes *file, uint64_t chunk)
{
    struct rf_chunk_header counts, index;
    struct rf_index_entry entry;
    memcpy(&counts, file->data + chunk, sizeof(counts));
    uint64_t at = find_chunk(file, RF_CHUNK_INDEX, &index);
    uint8_t *last = file->data + at + sizeof(index) + index.size - sizeof(entry);
    memcpy(&entry, last, sizeof(entry));
    entry.crc32c = rf_crc32c(0, file->data + chunk, sizeof(counts) + counts.size);
    memcpy(last, &entry, sizeof(entry));
    index.slot = rf_crc32c(0, file->data + at + sizeof(index), index.size);
    memcpy(file->data + at, &index, sizeof(index));
}

/* ---- Tests ---- */

static void test_same(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 30; round++) {
        seed = round;
        struct rfw *w = random_recording();
        struct files f = pack(w);
        rf_recording *whole = open_with(f.packed, 0);
        rf_recording *counted = open_with(f.packed, RF_OPEN_COUNTS);
        rf_recording *verified = open_with(f.packed, RF_OPEN_COUNTS | RF_OPEN_VERIFY);
        check_same(whole, counted);
        check_same(whole, verified);
        rf_close(whole);
        rf_close(counted);
        rf_close(verified);
        remove_files(&f);
        rfw_free(w);
    }
}

/* Damage in the records of a part that is not read is not noticed, but when all bytes are checked.
 */
static void test_damage(void **state)
{
    struct rfw_bytes file;
    struct rf_chunk_header header;
    struct rf_err err;
    rf_recording *rec;
    (void)state;
    seed = 3;
    struct rfw *w = random_recording();
    struct files f = pack(w);
    rfw_read_file(f.packed, &file);
    rf_recording *whole = open_with(f.packed, 0);
    uint64_t part = find_chunk(&file, RF_CHUNK_PART, &header);
    file.data[part + sizeof(header) + header.size - 3] ^= 1;
    rfw_write_file(f.packed, file.data, file.size);
    rec = open_with(f.packed, RF_OPEN_COUNTS);
    check_same(whole, rec);
    rf_close(rec);
    assert_int_equal(rf_open(f.packed, RF_OPEN_COUNTS | RF_OPEN_VERIFY, &rec, &err),
                     RF_ERR_DAMAGED);
    assert_int_equal(err.offset, part);
    assert_int_equal(rf_open(f.packed, 0, &rec, &err), RF_ERR_DAMAGED);
    /* the header of the part, which is read */
    file.data[part + 16] ^= 1;
    rfw_write_file(f.packed, file.data, file.size);
    assert_int_equal(rf_open(f.packed, RF_OPEN_COUNTS, &rec, &err), RF_ERR_DAMAGED);
    assert_int_equal(err.offset, part);
    rf_close(whole);
    free(file.data);
    remove_files(&f);
    rfw_free(w);
}

/* A COUNTS chunk with random bytes changed and a right checksum: the recording opens, and ranges
 * that no part has room for are not believed. */
static void test_forged(void **state)
{
    struct rfw_bytes file;
    struct rf_chunk_header header;
    (void)state;
    for (uint64_t round = 1; round <= 200; round++) {
        seed = round % 8 + 1;
        struct rfw *w = random_recording();
        struct files f = pack(w);
        rfw_read_file(f.packed, &file);
        uint64_t chunk = find_chunk(&file, RF_CHUNK_COUNTS, &header);
        seed = round;
        for (uint64_t i = 0; i < 1 + round % 40; i++)
            file.data[chunk + sizeof(header) + dice(header.size)] = (uint8_t)dice(256);
        sign(&file, chunk);
        rfw_write_file(f.packed, file.data, file.size);
        rf_recording *rec = open_with(f.packed, RF_OPEN_COUNTS);
        assert_true(rf_get_info(rec)->n_ranges + rf_get_info(rec)->n_marks < file.size / 8);
        rf_close(rec);
        rf_close(open_with(f.packed, 0));
        free(file.data);
        remove_files(&f);
        rfw_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_forged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
