/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request: which headers count, and what is refused. */
#include "cli/view/http_request.h"

#include "unit.h"

#define GET "GET /t/run.pftrace HTTP/1.1\r\n"

static void the_headers_are_found(void **state)
{
    struct http_request request;
    (void)state;
    assert_true(http_request_parse(GET "host:\t a:1\r\nORIGIN: http://b\r\n"
                                       "Sec-Fetch-Site: none\r\n\r\n",
                                   &request));
    assert_string_equal(request.method, "GET");
    assert_string_equal(request.path, "/t/run.pftrace");
    assert_string_equal(request.host, "a:1");
    assert_string_equal(request.origin, "http://b");
    assert_string_equal(request.fetch_site, "none");
}

static void a_header_that_stands_there_twice_is_refused(void **state)
{
    static const char *const twice[] = {
        GET "Host: a\r\nHost: b\r\n\r\n",
        GET "Host: a\r\nOrigin: b\r\nhost: a\r\n\r\n",
        GET "Host:\r\nHost: a\r\n\r\n",
        GET "Origin: a\r\nHost: h\r\norigin: b\r\n\r\n",
        GET "Host: h\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n\r\n",
    };
    struct http_request request;
    (void)state;
    for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
        assert_false(http_request_parse(twice[i], &request));
}

static void what_follows_the_empty_line_is_no_header(void **state)
{
    struct http_request request;
    (void)state;
    assert_true(http_request_parse(GET "Host: a\r\n\r\nOrigin: b\r\nHost: c\r\n\r\n", &request));
    assert_string_equal(request.host, "a");
    assert_string_equal(request.origin, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_headers_are_found),
        cmocka_unit_test(a_header_that_stands_there_twice_is_refused),
        cmocka_unit_test(what_follows_the_empty_line_is_no_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
