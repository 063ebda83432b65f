/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what a test repeats is done under a sanitizer, where all of it takes many times as
 * long: fewer random inputs of each kind, never fewer kinds. */
#ifndef TESTS_SUPPORT_SANITIZED_H
#define TESTS_SUPPORT_SANITIZED_H

#if defined(__has_feature)
#define SANITIZED_FEATURE(feature) __has_feature(feature)
#else
#define SANITIZED_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_THREAD__) || SANITIZED_FEATURE(thread_sanitizer)
#define IS_THREAD_SANITIZED 1
#else
#define IS_THREAD_SANITIZED 0
#endif

#if IS_THREAD_SANITIZED || defined(__SANITIZE_ADDRESS__) || SANITIZED_FEATURE(address_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* How many of n rounds there are: a third, but two at least, as sizes may take turns. */
#define SANITIZED_ROUNDS(n) (!IS_SANITIZED || (n) <= 2 ? (n) : (n) <= 6 ? 2 : ((n) + 2) / 3)

#endif
