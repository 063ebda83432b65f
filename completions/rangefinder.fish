# SPDX-License-Identifier: Apache-2.0
# Completions of rangefinder for fish. Installed in share/fish/vendor_completions.d; or copy it to
# ~/.config/fish/completions. What can follow is asked of rangefinder itself.

function __rangefinder_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l word (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case '@files*'
                set -l before (string match -r -- '^--[^=]*=' "$word")
                for path in (__fish_complete_path (string replace -- "$before" '' "$word"))
                    echo "$before$path"
                end
            case '@commands*'
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c rangefinder -f -a '(__rangefinder_complete)'
