/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `open` and clients that are silent, slow, or go away. Clients are this program; the
 * server runs in a thread. */
#include "cli/view/trace_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#define ORIGIN  "https://ui.perfetto.dev"
#define LARGE   (64u << 20) /* more than sockets keep */
#define SMALL   1000
#define FOREVER 3600000
#define AT_ONCE 50 /* ms */
#define CROWD   200

long __real_syscall(long number, long a, long b, long c);
long __wrap_syscall(long number, long a, long b, long c);

static bool has_no_random_bytes;

long __wrap_syscall(long number, long a, long b, long c)
{
    if (number != SYS_getrandom || !has_no_random_bytes)
        return __real_syscall(number, a, b, c);
    errno = ENOSYS;
    return -1;
}

/* One server, of a file of zeros. Connections may outlast it: it is not on a stack. */
static struct trace_server server;
static pthread_t runner;
static char path[64];

static void *run(void *context)
{
    (void)context;
    return (void *)(intptr_t)trace_server_run(&server, NULL);
}

static int open_server(size_t size)
{
    (void)snprintf(path, sizeof(path), "/tmp/rf-trace-server-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(close(fd), 0);
    struct rf_err err;
    int status = trace_server_open(&server, path, 0, ORIGIN, NULL, &err);
    assert_int_equal(unlink(path), 0);
    return status;
}

static void set_limits(struct client_limits limits)
{
    assert_int_equal(pthread_mutex_lock(&server.lock), 0);
    server.limits = limits;
    assert_int_equal(pthread_mutex_unlock(&server.lock), 0);
}

static void start(size_t size, struct client_limits limits)
{
    assert_int_equal(open_server(size), RF_OK);
    set_limits(limits);
    assert_int_equal(pthread_create(&runner, NULL, run, NULL), 0);
}

static int client(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(server.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void ask(int fd)
{
    char head[512];
    int n = snprintf(head, sizeof(head),
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nOrigin: " ORIGIN "\r\n\r\n",
                     server.path, server.port);
    assert_int_equal(send(fd, head, (size_t)n, MSG_NOSIGNAL), n);
}

/* Reads until the other side ends, at most piece bytes at once. Returns how many came. */
static size_t take_all(int fd, size_t piece, int pause_ms)
{
    static char bytes[1 << 20];
    size_t n = 0;
    for (;;) {
        ssize_t got = recv(fd, bytes, piece, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        if (pause_ms > 0)
            (void)poll(NULL, 0, pause_ms);
    }
    (void)close(fd);
    return n;
}

static void wait_for_ends(void)
{
    for (unsigned n = 1; n > 0;) {
        assert_int_equal(pthread_mutex_lock(&server.lock), 0);
        n = server.n_connections;
        assert_int_equal(pthread_mutex_unlock(&server.lock), 0);
        if (n > 0)
            (void)poll(NULL, 0, 1);
    }
}

static void end(void)
{
    wait_for_ends();
    trace_server_close(&server);
}

/* The trace is taken as a page takes it, which ends the server. */
static void finish(size_t size)
{
    void *status;
    int fd = client();
    ask(fd);
    assert_true(take_all(fd, 1 << 20, 0) > size);
    assert_int_equal(pthread_join(runner, &status), 0);
    assert_int_equal((int)(intptr_t)status, RF_OK);
}

static const struct client_limits patient = {FOREVER, FOREVER, FOREVER, 1};

/* It goes on taking: no single wait for it is long. */
static void a_client_that_takes_a_little_at_a_time_is_let_go(void **state)
{
    (void)state;
    start(LARGE, (struct client_limits){FOREVER, FOREVER, AT_ONCE, 1u << 30});
    int fd = client();
    ask(fd);
    assert_true(take_all(fd, 65536, 1) < LARGE);
    set_limits(patient);
    finish(LARGE);
    end();
}

static void a_client_that_stands_still_is_let_go(void **state)
{
    (void)state;
    start(LARGE, (struct client_limits){FOREVER, AT_ONCE, FOREVER, 1});
    int fd = client();
    ask(fd);
    char head[16];
    assert_int_equal(recv(fd, head, sizeof(head), MSG_WAITALL), sizeof(head));
    wait_for_ends();
    assert_true(take_all(fd, 1 << 20, 0) < LARGE);
    set_limits(patient);
    finish(LARGE);
    end();
}

static void a_client_that_never_asks_is_let_go(void **state)
{
    char answer[64];
    (void)state;
    start(SMALL, (struct client_limits){AT_ONCE, FOREVER, FOREVER, 1});
    int silent = client();
    assert_int_equal(recv(silent, answer, sizeof(answer), 0), 0);
    assert_int_equal(close(silent), 0);
    int begun = client(); /* one byte after the other, without an end */
    size_t n_sent = 0;
    while (send(begun, "G", 1, MSG_NOSIGNAL) == 1 &&
           recv(begun, answer, sizeof(answer), MSG_DONTWAIT) < 0 && ++n_sent < 100000)
        (void)poll(NULL, 0, 1);
    assert_true(n_sent < 8000); /* the server has room for 8192 */
    (void)close(begun);
    set_limits(patient);
    finish(SMALL);
    end();
}

static void the_oldest_silent_connection_makes_room(void **state)
{
    static int crowd[CROWD];
    char byte;
    (void)state;
    start(SMALL, patient);
    for (int i = 0; i < CROWD; i++)
        crowd[i] = client();
    finish(SMALL); /* the last one that comes is answered */
    assert_int_equal(recv(crowd[0], &byte, 1, 0), 0);
    for (int i = 0; i < CROWD; i++)
        (void)close(crowd[i]);
    end();
}

static void two_clients_are_answered_at_once(void **state)
{
    char first[16], second[16];
    (void)state;
    start(LARGE, patient);
    int one = client(), two = client();
    ask(one);
    ask(two);
    /* both have begun, and neither can have ended */
    assert_int_equal(recv(one, first, sizeof(first), MSG_WAITALL), sizeof(first));
    assert_int_equal(recv(two, second, sizeof(second), MSG_WAITALL), sizeof(second));
    assert_memory_equal(first, second, sizeof(first));
    size_t rest = take_all(two, 1 << 20, 0);
    assert_true(rest > LARGE);
    void *status;
    assert_int_equal(pthread_join(runner, &status), 0); /* one page has it all */
    assert_int_equal(take_all(one, 1 << 20, 0), rest);
    end();
}

static void a_transfer_that_is_cut_can_be_made_again(void **state)
{
    char head[16];
    (void)state;
    start(LARGE, patient);
    for (int i = 0; i < 3; i++) {
        const struct linger at_once = {1, 0};
        int fd = client();
        ask(fd);
        assert_int_equal(recv(fd, head, sizeof(head), MSG_WAITALL), sizeof(head));
        if (i == 0)
            assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
        assert_int_equal(close(fd), 0);
    }
    finish(LARGE);
    end();
}

static void without_random_bytes_there_is_no_link(void **state)
{
    (void)state;
    has_no_random_bytes = true;
    assert_int_equal(open_server(SMALL), RF_ERR_IO);
    has_no_random_bytes = false;
    assert_string_equal(server.path, "");
    trace_server_close(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_takes_a_little_at_a_time_is_let_go),
        cmocka_unit_test(a_client_that_stands_still_is_let_go),
        cmocka_unit_test(a_client_that_never_asks_is_let_go),
        cmocka_unit_test(the_oldest_silent_connection_makes_room),
        cmocka_unit_test(two_clients_are_answered_at_once),
        cmocka_unit_test(a_transfer_that_is_cut_can_be_made_again),
        cmocka_unit_test(without_random_bytes_there_is_no_link),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
