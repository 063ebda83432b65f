# SPDX-License-Identifier: Apache-2.0
# Completions of rangefinder and nsys2json for fish. Installed in share/fish/vendor_completions.d; or copy it to
# ~/.config/fish/completions. What can follow is asked of the program itself.

# The paths that can stand in the place of a word: folders, and files with one of the endings if there
# are any; all where no file has one. A path that begins with ~/ keeps that.
function __rangefinder_paths
    set -l paths
    set -l found
    set -l begun (string replace -r -- '^~/' "$HOME/" "$argv[1]")
    for path in "$begun"*
        test -d "$path"; and set path $path/
        set -a paths $path
        for ending in / $argv[2..-1]
            string match -q -- "*$ending" $path; and set -a found $path
        end
    end
    set -q argv[2]; and set -q found[1]; and set paths $found
    test "$begun" = "$argv[1]"; or set paths (string replace -- "$HOME/" '~/' $paths)
    string join \n -- $paths
end

function __rangefinder_complete
    set -l words (commandline -opc)
    # as it is typed, and without quotes, of which one may be open
    set -l typed (commandline -ct)
    set -l word (string unescape -- "$typed"
        or string unescape -- "$typed'"
        or string unescape -- "$typed\""
        or echo -- "$typed")
    set -l program (string replace -r -- '^~/' "$HOME/" $words[1])
    for line in ($program complete -- $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case '@files*'
                set -l before (string match -r -- '^--[^=]*=' "$word")
                set -l endings (string split -n " " -- (string replace -r '^@files\t?' '' -- $line))
                for path in (__rangefinder_paths (string replace -- "$before" '' "$word") $endings)
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
complete -c nsys2json -f -a '(__rangefinder_complete)'
