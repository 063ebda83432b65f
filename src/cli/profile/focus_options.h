/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile` that pick a part of the run. */
#ifndef RF_CLI_PROFILE_FOCUS_OPTIONS_H
#define RF_CLI_PROFILE_FOCUS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/terminal/hotkey.h"

struct cli_command;
struct cli_parser;
struct profile_options;

/* What happens when a capture has ended. */
enum focus_end {
    FOCUS_END_STOP = 0, /* the program runs on, unrecorded */
    FOCUS_END_NONE,     /* captures do not end before the program */
    FOCUS_END_REPEAT,   /* waits for the next capture */
};

#define FOCUS_KILL_DEFAULT (-1) /* no --kill was given */

/* Which part of the run is recorded. All of it where everything but keeps_open is zero. */
struct focus_options {
    uint32_t triggers;   /* enum rf_trigger */
    const char *message; /* -p, as given; NULL: none */
    bool has_key;        /* -c hotkey */
    const char *keys;    /* --hotkey-capture; NULL: the default keys */
    struct hotkey_set key_set;
    int64_t delay_ns;    /* 0: none */
    int64_t duration_ns; /* 0: none */
    bool starts_by_hand; /* --start-later, or `launch` */
    bool is_launch;      /* `launch`: any number of captures */
    enum focus_end end;
    bool has_end;        /* --capture-range-end was given */
    uint32_t n_captures; /* of repeat; 0: any number */
    bool shuts_down;     /* the program is ended after the last capture */
    int kill_signal;     /* 0: none; FOCUS_KILL_DEFAULT */
    const char *steps;   /* --capture-steps, as given; NULL: all of them */
    uint32_t first_step; /* with steps: from 0 */
    uint32_t n_steps;    /* 0: all */
    bool keeps_open;
    bool takes_unregistered;
};

/* Whether only a part of the run is recorded. */
bool focus_is_on(const struct focus_options *focus);

/* Whether there may be several captures: NAME.1.rf, NAME.2.rf, ... */
bool focus_makes_many(const struct profile_options *options);

/* focus_option() applies one option; focus_check(), after all of them, checks that they fit
 * together and sets config->capture. Both return CLI_OK, or CLI_USAGE after a message. */
int focus_option(struct focus_options *focus, const struct cli_parser *parser);
int focus_check(struct profile_options *options, const struct cli_command *command);

#endif
