/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files and folders of this process, so that a signal that ends it can remove them. */
#ifndef RF_BASE_PENDING_H
#define RF_BASE_PENDING_H

/* mkostemp() and mkdtemp() whose path is noted before a signal can end the process; the file is
 * closed on exec. Errors as theirs. */
int rf_pending_make_file(char *template);
char *rf_pending_make_folder(char *template);

/* Notes a path, or that it is none any more: it was removed, or renamed. More than a few at a time
 * are not noted. Any thread. */
void rf_pending_add(const char *path);
void rf_pending_drop(const char *path);

/* Removes all of them: files, then folders that are empty. For signal handlers too. */
void rf_pending_remove(void);

#endif
