/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"

#define MOST_HANDLES ((size_t)1 << 20) /* what has a higher one fits no rule */

static uint64_t hash_of(const char *text, uint32_t n)
{
    uint64_t hash = n + 1;
    for (uint32_t at = 0; at < n; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, n - at < 8 ? n - at : 8);
        hash = rf_hash_mix(hash, word);
    }
    return hash | 1;
}

struct rule_name rule_name_of_text(const struct rules *rules, const char *text, uint32_t n)
{
    struct rule_name name = {.hash = 1};
    for (uint32_t i = 0; i < rules->n; i++) {
        if (rules->rule[i].message == NULL)
            continue;
        const enum rule_fit fit = rule_fits_message(&rules->rule[i], text, n);
        name.fits |= (uint32_t)(fit == RULE_FITS) << i;
        name.nearly |= (uint32_t)(fit == RULE_FITS_NEARLY) << i;
    }
    if (name.fits != 0)
        name.hash = hash_of(text, n);
    return name;
}

/* Keeps a copy of a name's text. */
static void keep_text(struct rule_name *name, const char *text, uint32_t n)
{
    name->text = malloc((size_t)n + 1);
    if (name->text == NULL)
        return;
    memcpy(name->text, text, n);
    name->text[n] = '\0';
    name->n_text = n;
}

/* The place of a handle; NULL: it has none. */
static struct rule_name *make_room(struct rule_name **list, size_t *n, size_t *room, size_t handle)
{
    if (handle >= MOST_HANDLES || rf_reserve_array(list, handle + 1, room, sizeof(**list)) != RF_OK)
        return NULL;
    if (*n <= handle) {
        memset(*list + *n, 0, (handle + 1 - *n) * sizeof(**list));
        *n = handle + 1;
    }
    free((*list)[handle].text);
    return &(*list)[handle];
}

/* The rules that the name of a domain fits; NULL: the default domain. */
static uint32_t rules_of_domain(const struct rules *rules, const char *text, uint32_t n)
{
    uint32_t fits = 0;
    for (uint32_t i = 0; i < rules->n; i++)
        if (rules->rule[i].message != NULL && rule_fits_domain(&rules->rule[i], text, n))
            fits |= 1u << i;
    return fits;
}

static void add_domain(struct rule_names *names, uint32_t handle, const char *text, uint32_t n)
{
    struct rule_name *name =
        make_room(&names->domain, &names->n_domains, &names->domain_room, handle);
    if (name == NULL)
        return;
    *name = (struct rule_name){.hash = hash_of(text, n),
                               .asks = n == strlen(RF_SNAPSHOT_DOMAIN) &&
                                       memcmp(text, RF_SNAPSHOT_DOMAIN, n) == 0};
    name->fits = rules_of_domain(names->rules, text, n);
    keep_text(name, text, n);
}

static void add_string(struct rule_names *names, const struct rf_def *def, const char *text,
                       uint32_t n)
{
    struct rule_name *name =
        make_room(&names->string, &names->n_strings, &names->string_room, def->index);
    const struct rule_name *owner = rule_names_domain(names, def->value);
    if (name == NULL)
        return;
    *name = rule_name_of_text(names->rules, text, n);
    if (name->fits != 0 || name->nearly != 0 || (owner != NULL && owner->asks))
        keep_text(name, text, n);
}

static void on_def(void *context, const struct rf_def *def, const char *text, uint32_t n)
{
    struct rule_names *names = context;
    const uint32_t type = def->head & ((1u << RF_WORD_TYPE_BITS) - 1);
    if (type == RF_REC_DOMAIN)
        add_domain(names, def->index, text != NULL ? text : "", n);
    else if (type == RF_REC_STRING)
        add_string(names, def, text != NULL ? text : "", n);
    else if (type == RF_REC_PROCESS && def->index == RF_PROC_FORK_OF && def->value < UINT32_MAX)
        names->origin = (uint32_t)def->value + 1;
    else if (type == RF_REC_PROCESS && def->index == RF_PROC_EXIT)
        names->has_exited = true;
}

void rule_names_init(struct rule_names *names, const struct rules *rules, const char *session_dir,
                     uint32_t process)
{
    *names = (struct rule_names){.rules = rules,
                                 .dir = session_dir,
                                 .process = process,
                                 .default_fits = rules_of_domain(rules, NULL, 0)};
}

void rule_names_read(struct rule_names *names)
{
    rf_follow_defs(&names->read, names->dir, names->process, on_def, names);
}

const struct rule_name *rule_names_domain(const struct rule_names *names, uint64_t handle)
{
    return handle < names->n_domains && names->domain[handle].hash != 0 ? &names->domain[handle]
                                                                        : NULL;
}

const struct rule_name *rule_names_string(const struct rule_names *names, uint64_t handle)
{
    return handle < names->n_strings && names->string[handle].hash != 0 ? &names->string[handle]
                                                                        : NULL;
}

static void release(struct rule_name *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i].text);
    free(list);
}

void rule_names_release(struct rule_names *names)
{
    release(names->domain, names->n_domains);
    release(names->string, names->n_strings);
    *names = (struct rule_names){.rules = names->rules};
}
