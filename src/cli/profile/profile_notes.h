/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that name options of nsys with less effect here. */
#ifndef RF_CLI_PROFILE_PROFILE_NOTES_H
#define RF_CLI_PROFILE_PROFILE_NOTES_H

struct profile_options;

/* Adds to what is not recorded. */
void profile_note_not_done(struct profile_options *options, const char *what);

/* Adds to what is accepted without effect. */
void profile_note_without_effect(struct profile_options *options, const char *what);

#endif
