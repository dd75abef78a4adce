#!/bin/sh
# Runs dp-ridge beside its Python peers and writes target/peers/dp-ridge/results.json.
# Arguments go to compare.py, for example --repetitions 15.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work="$root/target/peers/dp-ridge"
mkdir -p "$work"

[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
(cd "$root" && cargo build --locked --profile bench --package papercrates-benches --bin dp-ridge-peer)

exec "$work/venv/bin/python" "$here/compare.py" \
    --driver "$root/target/release/dp-ridge-peer" \
    --data "$work/data" --out "$work/results.json" "$@"
