/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_PLACES_H
#define RF_IMPORT_NSYS_PLACES_H

#include "import/nsys_load.h"

/* Reads GPUs, devices, contexts and streams, after nsys_finish(). */
int nsys_load_places(struct nsys_load *load);

#endif
