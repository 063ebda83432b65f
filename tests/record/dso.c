/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects that annotate, loaded and unloaded. */
#include "truth.h"

#include "modes.h"
#include "plugin.h"

#include <dlfcn.h>
#include <pthread.h>

static void (*load(const char *path, void **library))(void)
{
    void (*annotate)(void);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&annotate = dlsym(*library, "plugin_annotate");
    return annotate;
}

/* Each object is loaded, used and unloaded, over and over. */
static int run_reload(int argc, char **argv)
{
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < argc; i++) {
            void *library;
            load(argv[i], &library)();
            dlclose(library);
        }
    }
    truth_mark("program");
    return 0;
}

/* The program never annotates itself before its plug-ins are gone; they ran on another thread. */
static void *use_plugin(void *path)
{
    void *library;
    void (*annotate)(void) = load(path, &library);
    annotate();
    dlclose(library);
    return NULL;
}

static int run_threads(int argc, char **argv)
{
    pthread_t threads[8];
    for (int i = 0; i < argc && i < 8; i++)
        if (pthread_create(&threads[i], NULL, use_plugin, argv[i]))
            return 1;
    for (int i = 0; i < argc && i < 8; i++)
        pthread_join(threads[i], NULL);
    truth_mark("program");
    return 0;
}

/* All of them at once, and the program too. */
static int run_several(int argc, char **argv)
{
    void *libraries[8];
    truth_push("program");
    for (int i = 0; i < argc && i < 8; i++)
        load(argv[i], &libraries[i])();
    truth_pop();
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"reload", run_reload},
        {"threads", run_threads},
        {"several", run_several},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
