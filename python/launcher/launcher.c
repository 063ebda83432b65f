/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a wheel, rangefinder and nsys2json, in the environment's folder of programs. Each
 * becomes the command line that stands in the package: a script of pip's would start an interpreter
 * first. RF_PYTHON_FOLDER is the folder of the interpreter's libraries, such as "python3.11". */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "/rangefinder/bin/rangefinder"

/* The package, relative to the folder of programs: in an environment, a prefix or a home; where
 * Debian puts what pip installs for all; with pip's --target. */
static const char *const places[] = {
    "/../lib/" RF_PYTHON_FOLDER "/site-packages" COMMAND,
    "/../lib64/" RF_PYTHON_FOLDER "/site-packages" COMMAND,
    "/../lib/" RF_PYTHON_FOLDER "/dist-packages" COMMAND,
    ("/.." COMMAND),
};

int main(int argc, char **argv)
{
    char self[PATH_MAX], command[PATH_MAX + 128];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (argc < 1 || slash == NULL) {
        (void)fprintf(stderr, "rangefinder: cannot read '/proc/self/exe'; is /proc mounted?\n");
        return 1;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        (void)snprintf(command, sizeof(command), "%s%s", self, places[i]);
        (void)execv(command, argv);
    }
    (void)fprintf(stderr,
                  "rangefinder: cannot find its package in '%s/../lib/" RF_PYTHON_FOLDER
                  "'; install it anew, or run: python3 -m rangefinder\n",
                  self);
    return 1;
}
