/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_tree.h"

#include "page/page_html.h"
#include "summary/path_tree.h"

static void put_name(struct rf_sink *sink, const rf_summary *summary,
                     const struct rf_summary_path *path)
{
    char label[1024];
    size_t domain_size = 0, size = 0, n = 0;
    const char *domain = rf_summary_text(summary, path->domain, &domain_size);
    const char *name = rf_summary_text(summary, path->name, &size);
    if (path->name == RF_REST_OF_NAMES) {
        name = "(all other names)";
        size = strlen(name);
    }
    domain_size = rf_html_cut(domain, domain_size);
    if (domain != NULL && domain_size > 0) {
        memcpy(label, domain, domain_size);
        label[domain_size] = ':';
        n = domain_size + 1;
    }
    size = rf_html_cut(name, size);
    if (name != NULL)
        memcpy(label + n, name, size);
    rf_html_put_json(sink, label, n + (name != NULL ? size : 0));
}

/* [number of the node around it or -1, name, count, total, self, longest, on the GPU], times in ns.
 */
static void put_node(struct rf_sink *sink, const struct rf_path_tree *tree,
                     const struct rf_path_node *node)
{
    const int64_t parent =
        node->parent != RF_NO_INDEX ? (int64_t)tree->node[node->parent].number - 1 : -1;
    rf_sink_char(sink, '[');
    rf_sink_i64(sink, parent);
    rf_sink_char(sink, ',');
    put_name(sink, tree->summary, &tree->summary->path[node->path]);
    const uint64_t value[] = {node->row.n, node->row.total, node->row.self, node->row.max.value,
                              node->gpu};
    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
        rf_sink_char(sink, ',');
        rf_sink_u64(sink, value[i]);
    }
    rf_sink_char(sink, ']');
}

int rf_page_tree_put(const rf_summary *summary, uint32_t input, struct rf_sink *sink)
{
    struct rf_path_tree tree;
    int status = rf_path_tree_init(&tree, summary, input);
    if (status == RF_OK && tree.n > 0) {
        rf_sink_text(
            sink,
            "<section id=\"tree\"><h2>Ranges inside ranges</h2>\n<p>Each box is a range inside the "
            "one above it, as wide as its share of the time. A click or Enter makes it as wide as "
            "the page; Escape goes back. Arrow keys move.</p>\n<p><label>Find <input id=\"find\" "
            "type=\"search\" placeholder=\"part of a name\"></label> <output id=\"found\"></output>"
            "</p>\n<div id=\"icicle\" role=\"tree\" aria-label=\"ranges\"></div>\n<p id=\"said\" "
            "aria-live=\"polite\"></p>\n<noscript><p>The drawing needs JavaScript; the tables "
            "below "
            "do not.</p></noscript>\n<script type=\"application/json\" id=\"paths\">[\n");
        for (uint32_t i = 0; i < tree.n; i++) {
            rf_sink_text(sink, i > 0 ? ",\n" : "");
            put_node(sink, &tree, &tree.node[tree.order[i]]);
        }
        rf_sink_text(sink, "]</script>\n</section>\n");
    }
    rf_path_tree_release(&tree);
    return status;
}
