/* SPDX-License-Identifier: Apache-2.0 */
/* Which package "rangefinder" python3 imports: PyPI has another project of that name. */
#include "cli/doctor/doctor_python.h"

#include <string.h>

#include "cli/ask_python.h"
#include "cli/doctor/doctor_finding.h"

/* Finds the package without importing it. Prints "none", "ours FOLDER" or "other FOLDER"; "mixed
 * FOLDER", where the other project's distribution wrote into our folder or we into its, or "half
 * FOLDER", where it was uninstalled and took our __init__.py with it. */
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

static const struct {
    const char *word;
    enum doctor_level level;
    const char *text, *advice; /* text: %s is the folder; advice: NULL for none */
} answers[] = {
    {"ours ", DOCTOR_OK, "python3 imports '%s'", NULL},
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

void doctor_check_python(struct doctor_finding *finding)
{
    char line[2048];
    cli_ask_python(script, line, sizeof(line));
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        const size_t size = strlen(answers[i].word);
        if (strncmp(line, answers[i].word, size) != 0)
            continue;
        doctor_report(finding, answers[i].level, answers[i].text, line + size);
        if (answers[i].advice != NULL)
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
