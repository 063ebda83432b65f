/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/selected.h"

#include <stdlib.h>

void rf_selected_free(struct rf_selected *selected)
{
    if (selected == NULL)
        return;
    free(selected->window);
    free(selected->thread);
    free(selected->of_domain);
    free(selected);
}
