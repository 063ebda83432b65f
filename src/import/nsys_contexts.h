/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_CONTEXTS_H
#define RF_IMPORT_NSYS_CONTEXTS_H

#include "import/nsys_load.h"

/* Finds the devices of the waits of load->parts. */
int nsys_place_waits(struct nsys_load *load);

/* Finds the devices of other rows, after GPU work and these rows were read. */
int nsys_place_extras(struct nsys_load *load);

#endif
