/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a part that are not in the file as they are. */
#ifndef RF_IMPORT_KINETO_TEXTS_H
#define RF_IMPORT_KINETO_TEXTS_H

#include "import/kineto_part.h"

/* Memory that lives as long as the part; NULL when out of memory. */
char *kineto_texts_take(struct kineto_part *part, size_t size);

/* A string as text of the part. */
void kineto_set_text(struct kineto_part *part, const struct rf_strings *strings,
                     const struct kineto_value *value, struct kineto_text *text);

void kineto_texts_free(struct kineto_part *part);

#endif
