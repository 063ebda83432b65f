/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no tool. */
int nvtx_test_no_entry;
