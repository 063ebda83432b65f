/* SPDX-License-Identifier: Apache-2.0 */
/* Which package "rangefinder" python3 imports: PyPI has another project of that name. */
#include "cli/doctor/doctor_python.h"

#include <string.h>

#include "cli/ask_python.h"
#include "cli/doctor/doctor_finding.h"

/* Finds the package without importing it. Prints "none", "ours FOLDER" or "other FOLDER". */
static const char script[] =
    "import importlib.util, os; "
    "spec = importlib.util.find_spec(\"rangefinder\"); "
    "folder = spec and (list(spec.submodule_search_locations or []) + [str(spec.origin)])[0]; "
    "ours = spec and os.path.exists(os.path.join(folder, \"_standby.py\")); "
    "print(\"none\" if not spec else (\"ours \" if ours else \"other \") + folder)";

void doctor_check_python(struct doctor_finding *finding)
{
    char line[2048];
    cli_ask_python(script, line, sizeof(line));
    if (strncmp(line, "ours ", 5) == 0) {
        doctor_report(finding, DOCTOR_OK, "python3 imports '%s'", line + 5);
    } else if (strncmp(line, "other ", 6) == 0) {
        doctor_report(finding, DOCTOR_WARN,
                      "python3 imports '%s', which is another project's package of this name",
                      line + 6);
        doctor_advise(finding, "in an environment without it (python3 -m venv) install this "
                               "project's folder or wheel, the distribution rangefinder-profiler");
    } else if (strcmp(line, "none") == 0) {
        doctor_report(finding, DOCTOR_OK,
                      "python3 has no package rangefinder; programs with the "
                      "package nvtx are recorded without it");
    } else {
        doctor_report(finding, DOCTOR_OK, "no python3 that runs; only Python's own part needs one");
    }
}
