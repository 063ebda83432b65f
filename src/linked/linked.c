/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTX's headers look for in a program that the recorder is linked into. */
#include <pthread.h>

typedef void (*entry)(void);

extern int InitializeInjectionNvtx2(void *get_table);
extern int InitializeInjectionNvtxExtension(void *module);
extern const entry InitializeInjectionNvtx2_fnptr;
extern const entry InitializeInjectionNvtxExtension_fnptr;

const entry InitializeInjectionNvtx2_fnptr = (entry)InitializeInjectionNvtx2;
const entry InitializeInjectionNvtxExtension_fnptr = (entry)InitializeInjectionNvtxExtension;

/* The recorder refers to these weakly, which does not bring them into a static program. */
__attribute__((used)) static const entry needed[] = {
    (entry)pthread_key_create, (entry)pthread_setspecific, (entry)pthread_self};
