# SPDX-License-Identifier: Apache-2.0
# Every verb has a man page, which names the options that -h names, and no others.
options_of_help()
{
    rangefinder "$1" -h | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | sort -u
}
options_of_man()
{
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" |
        sed -n '/^\.TP/{n;s/.*\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p;}' | sed 's/\\//g' | sort -u
}
for verb in $(rangefinder help | sed -n 's/^  \([a-z-]*\)  *.*/\1/p' | grep -v '^rangefinder$'); do
    page=$SOURCE/docs/man/rangefinder-$verb.1
    [ -f "$page" ] || {
        echo "no man page for $verb"
        continue
    }
    options_of_help "$verb" >help
    other=$(sed -n 's/^\.\\" options: //p' "$page") # it has the options of another verb
    options_of_man "${other:+$SOURCE/docs/man/}${other:-$page}" >man
    echo "$verb: $(wc -l <help) options"
    diff help man
    escaped=$(echo "$verb" | sed 's/-/\\-/g')
    grep -qF "rangefinder\\-$escaped\\fR(1)" "$SOURCE/docs/man/rangefinder.1" ||
        echo "rangefinder.1 does not name $verb"
    summary=$(rangefinder help | sed -n "s/^  $verb  *//p" | sed 's/ (.*//')
    sed 's/\\-/-/g' "$page" | grep -q "^rangefinder-$verb - $summary" ||
        echo "$verb: the summaries of help and man page differ"
done
if command -v groff >/dev/null; then
    for page in "$SOURCE"/docs/man/*.1; do
        groff -man -Tutf8 -ww -z "$page"
    done
fi
