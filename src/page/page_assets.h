/* SPDX-License-Identifier: Apache-2.0 */
/* The style and the program of the page: page.css and page.js, which the build turns into these. */
#ifndef RF_PAGE_PAGE_ASSETS_H
#define RF_PAGE_PAGE_ASSETS_H

#include <stddef.h>

extern const char rf_page_css[], rf_page_js[];
extern const size_t rf_page_css_size, rf_page_js_size;

#endif
