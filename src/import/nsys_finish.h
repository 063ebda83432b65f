/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_FINISH_H
#define RF_IMPORT_NSYS_FINISH_H

#include "import/nsys_load.h"

int nsys_finish(struct nsys_load *load);

#endif
