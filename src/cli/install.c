/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/install.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "session/recorder_version.h"

/* The library's folder, relative to the folder of the executable. */
#define IN_LIBDIR "/../" RF_LIBDIR_NAME "/"
#define IN_OWN    "/../" RF_RECORDER_DIR "/"
static const char *const folders[] = {"/../lib/", IN_OWN, IN_LIBDIR, "/../lib64/", "/"};

int cli_install_self(char *path, size_t size, struct rf_err *err)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0 || (size_t)n >= size - 1)
        return rf_fail(err, RF_ERR_IO, "cannot read '/proc/self/exe': %s; is /proc mounted?",
                       strerror(errno));
    path[n] = '\0';
    return RF_OK;
}

int cli_install_library(const char *name, char *path, size_t size, struct rf_err *err)
{
    char self[PATH_MAX], candidate[PATH_MAX + 64], found[PATH_MAX];
    int status = cli_install_self(self, sizeof(self), err);
    if (status != RF_OK)
        return status;
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        (void)snprintf(candidate, sizeof(candidate), "%s%s%s", self, folders[i], name);
        if (realpath(candidate, found) == NULL || access(found, R_OK) != 0)
            continue;
        if (snprintf(path, size, "%s", found) >= (int)size)
            return rf_fail(err, RF_ERR_IO, "'%s': the path is too long", found);
        return RF_OK;
    }
    return rf_fail(err, RF_ERR_IO,
                   "cannot find %s in '%s/../lib' nor beside the program; install the whole tree, "
                   "bin and lib",
                   name, self);
}

int cli_install_recorder(char *path, size_t size, struct rf_err *err)
{
    char version[32], self[PATH_MAX];
    int status = cli_install_library(CLI_INJECT_NAME, path, size, err);
    if (status == RF_OK)
        status = rf_recorder_version(path, version, sizeof(version), err);
    if (status != RF_OK || strcmp(version, RF_PRODUCT_VERSION) == 0)
        return status;
    if (cli_install_self(self, sizeof(self), NULL) != RF_OK)
        (void)snprintf(self, sizeof(self), "rangefinder");
    return rf_fail(
        err, RF_ERR_IO,
        "'%s' is the recorder of rangefinder%s%s, and '%s' is rangefinder %s; install both "
        "from one package",
        path, version[0] != '\0' ? " " : " of an unknown version", version, self,
        RF_PRODUCT_VERSION);
}

bool cli_install_is_for_all(const char *path)
{
    char folder[PATH_MAX];
    struct stat st;
    if (stat(path, &st) != 0 || (st.st_mode & S_IROTH) == 0)
        return false;
    (void)snprintf(folder, sizeof(folder), "%s", path);
    for (char *slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (stat(folder[0] != '\0' ? folder : "/", &st) != 0 || (st.st_mode & S_IXOTH) == 0)
            return false;
    }
    return true;
}
