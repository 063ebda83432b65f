# SPDX-License-Identifier: Apache-2.0
# Every verb has a man page, which the build made, with the options that -h names, and no others; the
# list of verbs in rangefinder(1) is that of `rangefinder help`, that of reports in
# rangefinder-stats(1) that of `stats -h`. What differs is printed. A page that speaks of an option
# that does not exist cannot be made.
options_of_help()
{
    rangefinder "$1" -h | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | sort -u
}
options_of_man()
{
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" |
        sed -n '/^\.TP/{n;s/.*\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p;}' | sed 's/\\//g' | sort -u
}
rangefinder help | sed -n '/^verbs:/,/^$/s/^  \([a-z0-9-]*\)  *\(.*\)/\1 \2/p' >verbs
while read -r verb summary; do
    page=$BUILD/man/rangefinder-$verb.1
    [ -f "$page" ] || {
        echo "no man page for $verb"
        continue
    }
    options_of_help "$verb" >help
    grep -qx help help || echo "$verb: its help names no options"
    other=$(sed -n 's/^\.\\" options: //p' "$page") # it has the options of another verb
    options_of_man "${other:+$BUILD/man/}${other:-$page}" >man
    diff help man >difference || sed "s/^/$verb: /" difference
    sed 's/\\-/-/g' "$page" | grep -qxF "rangefinder-$verb - $summary" ||
        echo "$verb: the summaries of help and man page differ"
    rangefinder "$verb" -h | sed -n '1s/^usage: //p' | grep -qxF "$(sed -n '/^\.SH SYNOPSIS/{n;p;}' "$page" |
        sed 's/\\f[BIR]//g; s/\\-/-/g')" || echo "$verb: the usages of help and man page differ"
done <verbs
for page in "$SOURCE"/docs/man/rangefinder-*.1; do
    verb=${page##*/rangefinder-}
    grep -q "^${verb%.1} " verbs || echo "${page##*/} is the page of no verb"
done
sed -n '/^\.SH VERBS/,/^\.SH O/p' "$BUILD/man/rangefinder.1" |
    sed -n '/^\.TP/{n;s/\\fB\(.*\)\\fR/\1/;N;s/\n/ /;s/;$//;s/\\-/-/g;p;}' >listed
diff verbs listed
rangefinder stats -h | sed -n '/^reports:/,$s/^\([* ]\) \([a-z_]*\)  *\(.*\)/\2 \1 \3/p' >reports
sed -n '/^\.RS/,/^\.RE/p' "$BUILD/man/rangefinder-stats.1" |
    sed -n '/^\.TP/{n;s/\\fB\(.*\)\\fR$/\1  /;s/\\fB\(.*\)\\fR/\1/;N;s/\n/ /;p;}' >listed
diff reports listed
if command -v groff >/dev/null; then
    for page in "$BUILD"/man/*.1; do
        groff -man -Tutf8 -ww -z "$page"
    done
fi
grep -l '^\.\\" \(name\|synopsis\|verbs\|options$\|options [a-z]\|about\|end options\)' "$BUILD"/man/*.1
[ "$(wc -l <verbs)" -gt 10 ] && [ "$(wc -l <reports)" -gt 10 ] && echo 'all verbs were compared with their pages'

mkdir made
make_page() # the lines of the page rangefinder-NAME.1, and of what is said of several
{
    printf "$2" >"rangefinder-$1.1"
    printf "$3" >common
    "$BUILD/man_pages" made common "rangefinder-$1.1" 2>&1
}
make_page stop '.\\" options\n.\\" about json\nMore of it.\n.\\" end options\n' '.\\" about session\nCommon.\n'
sed 's/\\-/-/g; s/\\f[BIR]//g' made/rangefinder-stop.1
make_page stop '.\\" options\n.\\" about nothing\n.\\" end options\n' ''
make_page stop '.\\" options\n.\\" end options\n' '.\\" about filter-time\nCommon.\n'
make_page halt '.\\" name\n' ''
make_page stop '.\\" options record\n.\\" end options\n' ''
rm -r made common rangefinder-*.1
