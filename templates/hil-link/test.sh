#!/bin/sh
# Simulates the device and runs the simulator with it in real time: its checks must hold.
# usage: test.sh [PORT [DATA_PORT]]      (VERNIER=path/to/vernier when it is not in the PATH)
set -e
cd "$(dirname "$0")"
vernier=${VERNIER:-vernier}
port=${1:-42760}
data=${2:-$((port + 1))}
"$vernier" check simulator.xml
"$vernier" link test "127.0.0.1:$port" --data "$data" --serve --send 3 --receive 6 --seconds 600s --patience 120s > device.log &
trap "kill $! 2> /dev/null || true" EXIT
"$vernier" run simulator.xml --rt --set "device.connect=127.0.0.1:$port" --set "device.data=127.0.0.1:$data" --set device.patience=120 --quiet
echo "passed"
