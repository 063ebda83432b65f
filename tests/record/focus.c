/* SPDX-License-Identifier: Apache-2.0 */
/* Annotates as its arguments say, one after another:
 *
 *     push=TEXT[@DOMAIN] start=TEXT[@DOMAIN]     with a registered string
 *     tpush= tstart= wpush=                      with the text itself; wide
 *     pop[=@DOMAIN] end=K                        K: the how-manieth start, from 0
 *     mark=TEXT
 *     destroy=@DOMAIN                            nvtxDomainDestroy
 *     cuda=FUNCTION                              calls it, if dlsym(RTLD_DEFAULT) finds it
 *     linked=FUNCTION                            calls it, where the program is linked to it
 *     caller=LIBRARY,FUNCTION                    the same in a library that is loaded for itself
 *     sleep=MS   touch=FILE   wait=FILE
 *     loop=N ( ... )   thread ( ... )   spawn ( ... ) join   fork ( ... )   signal ( ... )
 *     exit=STATUS   _exit=STATUS   kill=SIGNAL   thread-exit   exec=K
 *
 * thread, fork and signal wait until what is in their parentheses is done; what spawn began goes on
 * until join, all of it together. exec: the program anew, with the arguments from the K-th on. */
#include <nvtx3/nvToolsExt.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_IDS     1024
#define MAX_STRINGS 64

static char **args;
static nvtxRangeId_t ids[MAX_IDS];
static int n_ids;
static pthread_t spawned[64];
static int n_spawned;
static volatile int handler_from, handler_to;

static struct string {
    char text[64];
    nvtxDomainHandle_t domain;
    nvtxStringHandle_t handle;
} strings[MAX_STRINGS];
static int n_strings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void run(int from, int to);

/* "TEXT@DOMAIN": the domain's handle; *text gets the rest. */
static nvtxDomainHandle_t split(const char *argument, char text[64])
{
    const char *at = strrchr(argument, '@');
    (void)snprintf(text, 64, "%.*s", at != NULL ? (int)(at - argument) : 63, argument);
    return at != NULL ? nvtxDomainCreateA(at + 1) : NULL;
}

static nvtxStringHandle_t registered(nvtxDomainHandle_t domain, const char *text)
{
    nvtxStringHandle_t found = NULL;
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < n_strings && found == NULL; i++)
        if (strings[i].domain == domain && strcmp(strings[i].text, text) == 0)
            found = strings[i].handle;
    if (found == NULL && n_strings < MAX_STRINGS) {
        struct string *s = &strings[n_strings++];
        (void)snprintf(s->text, sizeof(s->text), "%s", text);
        s->domain = domain;
        found = s->handle = nvtxDomainRegisterStringA(domain, text);
    }
    (void)pthread_mutex_unlock(&lock);
    return found;
}

static void begin(const char *how, const char *argument)
{
    char text[64];
    wchar_t wide[64];
    nvtxEventAttributes_t e = {0};
    nvtxDomainHandle_t domain = split(argument, text);
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (*how == 't') {
        e.messageType = NVTX_MESSAGE_TYPE_ASCII;
        e.message.ascii = text;
    } else if (*how == 'w') {
        for (int i = 0; i < 64; i++)
            wide[i] = (unsigned char)text[i];
        e.messageType = NVTX_MESSAGE_TYPE_UNICODE;
        e.message.unicode = wide;
    } else {
        e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        e.message.registered = registered(domain, text);
    }
    if (strstr(how, "push") != NULL)
        (void)nvtxDomainRangePushEx(domain, &e);
    else
        ids[__atomic_fetch_add(&n_ids, 1, __ATOMIC_RELAXED) % MAX_IDS] =
            nvtxDomainRangeStartEx(domain, &e);
}

static void pop(const char *argument)
{
    char text[64];
    nvtxDomainHandle_t domain = split(argument, text);
    if (domain != NULL)
        (void)nvtxDomainRangePop(domain);
    else
        (void)nvtxRangePop();
}

#ifdef FOCUS_IS_LINKED
int cudaProfilerStart(void);
int cudaProfilerStop(void);
int cuProfilerStart(void);
int cuProfilerStop(void);

static int call_linked(const char *name)
{
    if (strcmp(name, "cudaProfilerStart") == 0)
        return cudaProfilerStart();
    if (strcmp(name, "cudaProfilerStop") == 0)
        return cudaProfilerStop();
    return strcmp(name, "cuProfilerStart") == 0 ? cuProfilerStart() : cuProfilerStop();
}
#else
static int call_linked(const char *name)
{
    (void)name;
    return -1;
}
#endif

/* LIBRARY,FUNCTION */
static void call_caller(const char *value)
{
    char path[4096];
    const char *comma = strchr(value, ',');
    (void)snprintf(path, sizeof(path), "%.*s", (int)(comma - value), value);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*function)(void) = NULL;
    if (library != NULL)
        *(void **)&function = dlsym(library, comma + 1);
    printf("%s: %d\n", comma + 1, function != NULL ? function() : -1);
    (void)fflush(stdout);
}

static void call_cuda(const char *name)
{
    int (*function)(void) = NULL;
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    printf("%s: %d\n", name, function != NULL ? function() : -1);
    (void)fflush(stdout);
}

static void wait_for_file(const char *path)
{
    for (int i = 0; i < 20000 && access(path, F_OK) != 0; i++)
        (void)usleep(1000);
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file != NULL)
        (void)fclose(file);
}

struct piece {
    int from, to;
};

static void *run_thread(void *piece)
{
    struct piece p = *(struct piece *)piece;
    free(piece);
    run(p.from, p.to);
    return NULL;
}

static pthread_t start_thread(int from, int to)
{
    pthread_t thread;
    struct piece *piece = malloc(sizeof(*piece));
    if (piece == NULL)
        exit(99);
    *piece = (struct piece){from, to};
    if (pthread_create(&thread, NULL, run_thread, piece) != 0)
        exit(99);
    return thread;
}

static void on_signal(int number)
{
    (void)number;
    run(handler_from, handler_to);
}

static void run_child(int from, int to)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        run(from, to);
        exit(0);
    }
    (void)waitpid(pid, &status, 0);
}

static void run_block(const char *name, const char *value, int from, int to)
{
    if (strcmp(name, "loop") == 0) {
        for (int i = atoi(value); i > 0; i--)
            run(from, to);
    } else if (strcmp(name, "thread") == 0) {
        (void)pthread_join(start_thread(from, to), NULL);
    } else if (strcmp(name, "spawn") == 0) {
        spawned[n_spawned++ % 64] = start_thread(from, to);
    } else if (strcmp(name, "fork") == 0) {
        run_child(from, to);
    } else if (strcmp(name, "signal") == 0) {
        handler_from = from;
        handler_to = to;
        (void)signal(SIGUSR1, on_signal);
        (void)raise(SIGUSR1);
    } else {
        fprintf(stderr, "focus: unknown block '%s'\n", name);
        exit(98);
    }
}

static void run_word(const char *name, const char *value)
{
    if (strstr(name, "push") != NULL || strstr(name, "start") != NULL)
        begin(name, value);
    else if (strcmp(name, "pop") == 0)
        pop(value);
    else if (strcmp(name, "end") == 0)
        nvtxRangeEnd(ids[atoi(value)]);
    else if (strcmp(name, "mark") == 0)
        nvtxMarkA(value);
    else if (strcmp(name, "destroy") == 0)
        nvtxDomainDestroy(nvtxDomainCreateA(value + 1));
    else if (strcmp(name, "cuda") == 0)
        call_cuda(value);
    else if (strcmp(name, "caller") == 0)
        call_caller(value);
    else if (strcmp(name, "linked") == 0) {
        printf("%s: %d\n", value, call_linked(value));
        (void)fflush(stdout);
    } else if (strcmp(name, "sleep") == 0)
        (void)usleep((useconds_t)atoi(value) * 1000);
    else if (strcmp(name, "touch") == 0)
        touch(value);
    else if (strcmp(name, "wait") == 0)
        wait_for_file(value);
    else if (strcmp(name, "join") == 0)
        while (n_spawned > 0)
            (void)pthread_join(spawned[--n_spawned], NULL);
    else if (strcmp(name, "exit") == 0)
        exit(atoi(value));
    else if (strcmp(name, "_exit") == 0)
        _exit(atoi(value));
    else if (strcmp(name, "kill") == 0)
        (void)kill(getpid(), atoi(value));
    else if (strcmp(name, "thread-exit") == 0)
        pthread_exit(NULL);
    else if (strcmp(name, "exec") == 0) {
        args[atoi(value) - 1] = args[0];
        (void)execv("/proc/self/exe", args + atoi(value) - 1);
    } else {
        fprintf(stderr, "focus: unknown word '%s'\n", name);
        exit(98);
    }
}

static int closing(int at)
{
    int depth = 0;
    for (; args[at] != NULL; at++) {
        depth += strcmp(args[at], "(") == 0;
        depth -= strcmp(args[at], ")") == 0;
        if (depth == 0)
            return at;
    }
    fprintf(stderr, "focus: a parenthesis is missing\n");
    exit(98);
}

static void run(int from, int to)
{
    for (int at = from; at < to; at++) {
        char name[16] = "";
        const char *value = strchr(args[at], '=');
        (void)snprintf(name, sizeof(name), "%.*s",
                       value != NULL ? (int)(value - args[at]) : (int)sizeof(name) - 1, args[at]);
        value = value != NULL ? value + 1 : "";
        if (at + 1 < to && strcmp(args[at + 1], "(") == 0) {
            int end = closing(at + 1);
            run_block(name, value, at + 2, end);
            at = end;
        } else {
            run_word(name, value);
        }
    }
}

int main(int argc, char **argv)
{
    args = argv;
    run(1, argc);
    return 0;
}
