/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions from people, before the C library sees them: glibc copies what is repeated,
 * parses groups by recursion, and follows references back (\1) by trying every way, so that a line
 * of text can take all memory, the stack, or years. */
#ifndef RF_BASE_EXPRESSION_H
#define RF_BASE_EXPRESSION_H

#define RF_EXPRESSION_MAX_SIZE   1000 /* bytes */
#define RF_EXPRESSION_MAX_DEPTH  50   /* groups in groups */
#define RF_EXPRESSION_MAX_COPIES 1000 /* characters, with what is repeated written out */

/* What makes a POSIX extended expression too costly, for the end of a sentence; NULL: it is fine,
 * or not valid, which is regcomp()'s to say. */
const char *rf_expression_too_costly(const char *expression);

#endif
