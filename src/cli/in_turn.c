/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/in_turn.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/waiting.h"

struct state {
    const struct cli_in_turn *work;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t turned;
    size_t next; /* the input that is read next */
    size_t turn; /* the one that is used next */
    int status;  /* other than CLI_OK: there is no point in going on */
    struct cli_waiting waiting;
};

/* Returns false where there is none left. */
static bool take_input(struct state *s, size_t *input)
{
    (void)pthread_mutex_lock(&s->lock);
    bool is_taken = s->status == CLI_OK && s->next < s->work->n;
    if (is_taken)
        *input = s->next++;
    (void)pthread_mutex_unlock(&s->lock);
    return is_taken;
}

static void use_in_turn(struct state *s, size_t input, void *one, struct cli_held *messages)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->turn != input)
        (void)pthread_cond_wait(&s->turned, &s->lock);
    if (s->status == CLI_OK) {
        cli_held_print(messages);
        s->status = one != NULL ? s->work->use(s->work->context, input, one) : CLI_FAILED;
    }
    s->turn++;
    if (s->work->n > 1)
        cli_waiting_advance(&s->waiting, (double)s->turn / (double)s->work->n);
    (void)pthread_cond_broadcast(&s->turned);
    (void)pthread_mutex_unlock(&s->lock);
}

static void do_one(struct state *s, size_t input)
{
    struct cli_held messages = {.text = NULL};
    void *one = calloc(1, s->work->one_size);
    cli_say_hold(&messages);
    if (one != NULL)
        s->work->read(s->work->context, input, one);
    else
        cli_say("out of memory");
    cli_say_hold(NULL);
    use_in_turn(s, input, one, &messages);
    cli_held_release(&messages);
    if (one != NULL)
        s->work->release(s->work->context, one);
    free(one);
}

static void *run(void *context)
{
    struct state *s = context;
    size_t input;
    while (take_input(s, &input))
        do_one(s, input);
    return NULL;
}

static size_t count_threads(const struct cli_in_turn *work)
{
    cpu_set_t cores;
    size_t n = work->n_jobs;
    if (n == 0)
        n = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? (size_t)CPU_COUNT(&cores) : 1;
    if (n > work->n)
        n = work->n;
    return n < CLI_MAX_JOBS ? n : CLI_MAX_JOBS;
}

/* The others block signals, which go to the calling thread; it works too, so that all is done where
 * no thread can be started. */
static void run_threads(struct state *s, size_t n)
{
    pthread_t thread[CLI_MAX_JOBS];
    size_t n_started = 0;
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n_started + 1 < n && pthread_create(&thread[n_started], NULL, run, s) == 0)
        n_started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)run(s);
    for (size_t i = 0; i < n_started; i++)
        (void)pthread_join(thread[i], NULL);
}

int cli_in_turn(const struct cli_in_turn *work)
{
    struct state s = {.work = work, .status = CLI_OK};
    const size_t n = count_threads(work);
    (void)pthread_mutex_init(&s.lock, NULL);
    (void)pthread_cond_init(&s.turned, NULL);
    if (work->n > 1)
        cli_waiting_begin(&s.waiting, "reading %zu recordings", work->n);
    cli_waiting_within(n > 1); /* of each nothing is shown */
    run_threads(&s, n);
    cli_waiting_within(false);
    if (work->n > 1)
        cli_waiting_end(&s.waiting);
    (void)pthread_cond_destroy(&s.turned);
    (void)pthread_mutex_destroy(&s.lock);
    return s.status;
}

int cli_set_jobs(size_t *n_jobs, const struct cli_parser *parser)
{
    char *end = NULL;
    unsigned long n = strtoul(parser->value, &end, 10);
    bool is_number = parser->value[0] >= '0' && parser->value[0] <= '9' && *end == '\0';
    *n_jobs = n;
    return is_number && n >= 1 && n <= CLI_MAX_JOBS
               ? CLI_OK
               : cli_usage_error(parser->command, "'--jobs=%s' is not a number from 1 to %d",
                                 parser->value, CLI_MAX_JOBS);
}
