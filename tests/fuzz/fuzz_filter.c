/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a filter: a byte that says which options are given, and a line for each of the
 * first eight, then one of ranks and one of threads. It is tried on a recording with something of
 * everything that filters name. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define N_OPTIONS 8

static const char content[] =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1,'add'),(2,'void add<float>(int)'),(3,'cudaLaunchKernel'),"
    "(4,'step'),(5,'read'),(6,'a/b@c/1'),(7,'python3');"
    "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, textId, domainId, jsonText,"
    " int64Value);"
    "INSERT INTO NVTX_EVENTS VALUES(0,NULL,75,'lib',281474976776193,NULL,1,NULL,NULL),"
    "(10,900,59,NULL,281474976776193,4,0,'{\"rank\":3,\"op\":{\"name\":\"sum\",\"at\":-1.5}}',NULL)"
    ","
    "(20,400,59,'inner',281474976776193,NULL,1,'{\"rank\":18446744073709551615}',NULL),"
    "(30,30,34,'mark',281474976776193,NULL,1,NULL,-7),"
    "(1000,2000,60,NULL,281474976776194,6,0,'[1,[2]]',NULL),"
    "(500,800,59,NULL,281474993553410,4,0,NULL,NULL),"
    "(1000000000,2000000000,59,'late',281474993553410,NULL,0,NULL,NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId,"
    " nameId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(30,40,0,281474976776193,1,3),"
    "(510,520,1,281474993553410,1,3);"
    "CREATE TABLE OSRT_API(start, end, globalTid, nameId);"
    "INSERT INTO OSRT_API VALUES(60,70,281474976776193,5);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, demangledName, shortName);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(50,90,0,1,7,1,281474976710656,2,1),"
    "(530,590,1,1,7,1,281474993487872,2,1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, bytes, copyKind);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(600,700,1,1,7,1,281474993487872,64,1);"
    "CREATE TABLE PROCESSES(globalPid, pid, name);"
    "INSERT INTO PROCESSES VALUES(281474976710656,10,'python3'),(281474993487872,11,'tool');";

static rf_recording *make_recording(void)
{
    const char *path = fuzz_path();
    sqlite3 *db = NULL;
    rf_recording *rec = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA journal_mode=OFF", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, content, NULL, NULL, NULL) != SQLITE_OK)
        abort();
    (void)sqlite3_close(db);
    if (rf_open(path, 0, &rec, NULL) != RF_OK)
        abort();
    return rec;
}

/* One line of the input, or NULL where it is over. */
static const char *take_line(char **at)
{
    char *line = *at;
    char *end = line != NULL ? strchr(line, '\n') : NULL;
    *at = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = '\0';
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rf_recording *rec;
    rf_recording *part = NULL;
    struct rf_err err;
    if (rec == NULL)
        rec = make_recording();
    if (size == 0)
        return 0;
    char *text = malloc(size), *at = text;
    if (text == NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const char *line[N_OPTIONS];
    for (int i = 0; i < N_OPTIONS; i++)
        line[i] = (data[0] >> i & 1) != 0 ? take_line(&at) : NULL;
    const char *ranks = take_line(&at), *threads = take_line(&at);
    const struct rf_filter_options options = {.size = sizeof(options),
                                              .time = line[0],
                                              .nvtx = line[1],
                                              .processes = line[2],
                                              .gpus = line[3],
                                              .activities = line[4],
                                              .names = line[5],
                                              .kernels = line[6],
                                              .payloads = &line[7],
                                              .n_payloads = line[7] != NULL,
                                              .ranks = ranks,
                                              .threads = threads};
    int status = rf_filter(rec, &options, &part, &err);
    if ((status == RF_OK) != (part != NULL) || (status != RF_OK && err.text[0] == '\0'))
        abort();
    if (part != NULL)
        fuzz_walk(part);
    rf_close(part);
    free(text);
    return 0;
}
