/* SPDX-License-Identifier: Apache-2.0 */
#include "chain/chain.h"

chain_function chain_slot[CHAIN_TOOLS][NVTX_CB_MODULE_SIZE][CHAIN_SLOTS];
intptr_t chain_ext_slot[CHAIN_TOOLS][CHAIN_MODULES][CHAIN_SLOTS];
unsigned chain_n_tools;
void (*chain_message)(const char *text);
