#!/bin/sh
# An "agent" that any shell can run: reads the prompt on standard input, works in the current folder,
# which is the checkout of the trial. What it prints is kept as the transcript; its exit code is kept too.
set -eu

prompt=$(cat)

# sed without -i: the flag differs between systems.
edit() {
  sed "$1" "$2" > "$2.new"
  mv "$2.new" "$2"
}

case $prompt in
  *'last day of the month'*)
    echo 'The range stops before the last day: letting it end on that day.'
    edit 's/day < range\.until/day <= range.until/' src/calendar.mjs
    ;;
  *'a cent is lost'*)
    echo 'Rounding down loses cents: rounding up instead.' # a wrong fix: now a cent is gained
    edit 's/Math\.round(/Math.ceil(/' src/split.mjs
    ;;
  *)
    echo 'I do not know what to do with this prompt.' >&2
    exit 1
    ;;
esac
