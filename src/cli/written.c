/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/written.h"

#include <stdint.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/json_out.h"

static void put_file(struct json_out *json, const struct cli_written_file *file)
{
    struct stat st;
    json_open_element(json, '{');
    json_text(json, "path", file->path);
    json_text(json, "format", file->format);
    if (stat(file->path, &st) == 0 && S_ISREG(st.st_mode))
        json_u64(json, "size_bytes", (uint64_t)st.st_size);
    else
        json_null(json, "size_bytes");
    json_bool(json, "was_there", file->was_there);
    json_close(json, '}');
}

int cli_written_print(const char *verb, const struct cli_written_file *file, size_t n,
                      const char *next_verb, const char *next_path)
{
    struct json_out json;
    if (json_start(&json, "written") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "verb", verb);
    json_open_member(&json, "files", '[');
    for (size_t i = 0; i < n; i++)
        put_file(&json, &file[i]);
    json_close(&json, ']');
    if (next_path != NULL)
        json_next(&json, next_verb, next_path);
    else
        json_null(&json, "next");
    return json_finish(&json);
}
