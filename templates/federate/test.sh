#!/bin/sh
# Starts an RTI and runs the federate in its own federation: its checks must hold.
# usage: test.sh [PORT]      (VERNIER=path/to/vernier when it is not in the PATH)
set -e
cd "$(dirname "$0")"
vernier=${VERNIER:-vernier}
port=${1:-14321}
"$vernier" check vehicle.xml
"$vernier" rti --listen "127.0.0.1:$port" > rti.log &
trap "kill $! 2> /dev/null || true" EXIT
"$vernier" run vehicle.xml --set "federate.rti=tcp://127.0.0.1:$port" --set federate.patience=120 --quiet
echo "passed"
