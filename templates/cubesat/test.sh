#!/bin/sh
# Runs the mission twice: its checks must hold, and with a low battery the satellite must go to safe mode.
# usage: test.sh      (VERNIER=path/to/vernier when it is not in the PATH)
set -e
cd "$(dirname "$0")"
vernier=${VERNIER:-vernier}
"$vernier" check mission.xml
"$vernier" run mission.xml --quiet
folder=$("$vernier" run mission.xml --set power.charge=0.29 --until 1200s --quiet)
grep -q "Safe" "$folder/events.csv" || { echo "no safe mode in $folder"; exit 1; }
echo "passed"
