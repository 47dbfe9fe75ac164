#!/bin/sh
# Runs the mission: its checks must hold, also with a heavier base.
# usage: test.sh      (VERNIER=path/to/vernier when it is not in the PATH)
set -e
cd "$(dirname "$0")"
vernier=${VERNIER:-vernier}
"$vernier" check mission.xml
"$vernier" run mission.xml --quiet
"$vernier" run mission.xml --set "arm.base.mass=3000 kg" --quiet
echo "passed"
