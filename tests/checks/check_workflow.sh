#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check_workflow.sh SOURCE BUILD
# The workflow for GitHub's runners is YAML whose steps call commands that ./dev has, and prepare no
# more than a container for the checkout. Which tests run, ./dev alone says.
set -eu
cd "$1"
workflow=.github/workflows/ci.yml
sed -n 's/^ *- run: //p' $workflow >"$2/workflow.steps"
[ "$(wc -l <"$2/workflow.steps")" -ge 4 ] || { echo "$workflow has no steps"; exit 1; }
commands=$(sed -n 's/^\([a-z0-9 |]*\)) "cmd_$command" "$@" ;;$/\1/p' dev | tr -d '|')
while read -r step; do
    case $step in
    'apt-get update && '* | 'git config '*) continue ;;
    'docker run '*) step=./dev${step#*./dev} ;;
    esac
    step=${step%\"}
    command=${step#./dev }
    case $command in
    'test '*) echo "$workflow: '$step' has a list of tests of its own" && exit 1 ;;
    esac
    echo "$commands" | grep -qw -- "${command%% *}" && [ "$step" != "$command" ] || {
        echo "$workflow: '$step' is no command of ./dev ($commands)"
        exit 1
    }
done <"$2/workflow.steps"
python3 -c 'import yaml' 2>/dev/null || {
    echo "the steps are right; whether it is YAML was not looked at: python3 has no yaml"
    exit 0
}
python3 - $workflow <<'END'
import sys
import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    jobs = yaml.safe_load(file)["jobs"]
for name, job in jobs.items():
    assert job["runs-on"] and job["timeout-minutes"], name
    assert any("uses" in step and step["uses"].startswith("actions/checkout@") for step in job["steps"]), name
END
