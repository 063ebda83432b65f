/* SPDX-License-Identifier: Apache-2.0 */
/* How the recorder's file says of which version it is: this text and "MAJOR.MINOR.PATCH",
 * NUL-ended. */
#ifndef RF_LOG_PRODUCT_MARK_H
#define RF_LOG_PRODUCT_MARK_H

#define RF_PRODUCT_MARK "rangefinder-recorder-of-version: "

#endif
