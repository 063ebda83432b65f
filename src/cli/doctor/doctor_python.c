/* SPDX-License-Identifier: Apache-2.0 */
/* Which package "rangefinder" python3 imports: PyPI has another project of that name. */
#include "cli/doctor/doctor_python.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/ask_python.h"
#include "cli/doctor/doctor_finding.h"
#include "cli/install.h"
#include "session/recorder_version.h"

/* Finds the package without importing it: it may be another project's. Prints "none", "ours FOLDER"
 * or "other FOLDER"; "mixed FOLDER", where the other project's distribution wrote into our folder
 * or we into its, or "half FOLDER", where it was uninstalled and took our __init__.py with it. */
static const char script[] =
    "import importlib.util, os\n"
    "spec = importlib.util.find_spec(\"rangefinder\")\n"
    "folder = spec and (list(spec.submodule_search_locations or []) + [str(spec.origin)])[0]\n"
    "has = lambda name: os.path.exists(os.path.join(folder, name))\n"
    "try:\n"
    "    from importlib.metadata import distribution\n"
    "    other = distribution(\"rangefinder\").locate_file(\"rangefinder\")\n"
    "    is_mixed = os.path.samefile(str(other), folder)\n"
    "except Exception:\n"
    "    is_mixed = False\n"
    "print(\"none\" if not spec else (\"other \" if not has(\"_standby.py\") else\n"
    "    \"half \" if not has(\"__init__.py\") else \"mixed \" if is_mixed else \"ours \") + "
    "folder)";

/* Prints the version of the package; nothing where its modules cannot be loaded. */
static const char version_script[] = "import rangefinder\nprint(rangefinder.__version__)";

static const struct {
    const char *word;
    enum doctor_level level;
    const char *text, *advice; /* text: %s is the folder */
} answers[] = {
    {"other ", DOCTOR_WARN, "python3 imports '%s', which is another project's package of this name",
     "in an environment without it (python3 -m venv) install this project's folder or wheel, the "
     "distribution rangefinder-profiler"},
    {"mixed ", DOCTOR_WARN,
     "python3 imports '%s', which has files of two projects: the distribution rangefinder, another "
     "project, is installed there, too",
     "python3 -m pip uninstall rangefinder; then pip install --force-reinstall this project's "
     "wheel, or install each into an environment of its own"},
    {"half ", DOCTOR_WARN,
     "python3 imports '%s', whose __init__.py went with another project's distribution rangefinder "
     "when that was uninstalled",
     "pip install --force-reinstall this project's wheel"},
};

/* Whether package, its recorder and this command line are of one version. */
static void check_versions(struct doctor_finding *finding, const char *folder)
{
    char package[64], recorder[32] = "", path[PATH_MAX];
    struct rf_err err;
    cli_ask_python(version_script, package, sizeof(package));
    (void)snprintf(path, sizeof(path), "%s/lib/" CLI_INJECT_NAME, folder);
    (void)rf_recorder_version(path, recorder, sizeof(recorder), &err);
    if (package[0] == '\0') {
        doctor_report(finding, DOCTOR_WARN, "python3 imports '%s', and cannot load its modules",
                      folder);
        doctor_advise(finding, "they are built for one version of Python: install the wheel with "
                               "this python3");
    } else if (recorder[0] != '\0' && strcmp(package, recorder) != 0) {
        doctor_report(finding, DOCTOR_FAIL,
                      "python3 imports '%s', the package of rangefinder %s, with the recorder of "
                      "rangefinder %s in it",
                      folder, package, recorder);
        doctor_advise(finding, "pip install --force-reinstall this project's wheel");
    } else if (strcmp(package, RF_PRODUCT_VERSION) != 0) {
        doctor_report(finding, DOCTOR_WARN,
                      "python3 imports '%s', the package of rangefinder %s, and this is "
                      "rangefinder %s",
                      folder, package, RF_PRODUCT_VERSION);
        doctor_advise(finding, "rangefinder recipe refuses it: install both from one package");
    } else {
        doctor_report(finding, DOCTOR_OK, "python3 imports '%s', of rangefinder %s", folder,
                      package);
    }
}

void doctor_check_python(struct doctor_finding *finding)
{
    char line[2048];
    cli_ask_python(script, line, sizeof(line));
    if (strncmp(line, "ours ", 5) == 0) {
        check_versions(finding, line + 5);
        return;
    }
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        const size_t size = strlen(answers[i].word);
        if (strncmp(line, answers[i].word, size) != 0)
            continue;
        doctor_report(finding, answers[i].level, answers[i].text, line + size);
        doctor_advise(finding, "%s", answers[i].advice);
        return;
    }
    if (strcmp(line, "none") == 0)
        doctor_report(finding, DOCTOR_OK,
                      "python3 has no package rangefinder; programs with the "
                      "package nvtx are recorded without it");
    else
        doctor_report(finding, DOCTOR_OK, "no python3 that runs; only Python's own part needs one");
}
