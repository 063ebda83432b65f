/* SPDX-License-Identifier: Apache-2.0 */
#include "record/hooks.h"

const struct rf_hooks *rf_hooks;
