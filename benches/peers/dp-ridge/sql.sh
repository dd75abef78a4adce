#!/bin/sh
# Runs the SQL of `dp-ridge sql` in DuckDB (1 GB of memory) and in Spark (two workers) on a
# Parquet table larger than that, and compares the sums with dp-ridge's own on the same rows.
#   sql.sh [--rows N]     default 20000000 (3.4 GB on disk, deleted afterwards)
# Needs Java 17 or later for Spark.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work="$root/target/peers/dp-ridge"
rows=20000000
case "${1:-}" in
    "") ;;
    --rows) rows=${2:?--rows needs a number} ;;
    *) echo "sql.sh: unknown argument $1; expected --rows N" >&2; exit 2 ;;
esac
mkdir -p "$work"
# An earlier run's statistics must not be compared by accident.
rm -rf "$work/sql"
mkdir "$work/sql"
trap 'rm -rf "$work/sql/rows.parquet" "$work/sql/spill"' EXIT
cd "$work/sql"

[ -d "$work/venv-sql" ] || python3 -m venv "$work/venv-sql"
python="$work/venv-sql/bin/python"
"$python" -m pip install --quiet --requirement "$here/requirements-sql.txt"
(
    cd "$root"
    cargo build --locked --profile bench --package papercrates-benches --bin dp-ridge-peer
    cargo build --locked --profile bench --package dp-ridge --features cli --bin dp-ridge
)
dp_ridge="$root/target/release/dp-ridge"

"$python" "$here/parquet.py" --rows "$rows" --out rows.parquet
echo "Parquet: $(du -h rows.parquet | cut -f1) for $rows rows of 20 features and a target"

features=$(seq -s , -f x%g 0 19)
set -- --target y --features "$features" --x-norm 4 --y-abs 2
"$dp_ridge" sql --table people "$@" > stats.sql

"$python" "$here/sql_peers.py" duckdb rows.parquet stats.sql duckdb.json
"$python" "$here/sql_peers.py" spark rows.parquet stats.sql spark.json
"$python" "$here/sql_peers.py" rows rows.parquet |
    "$root/target/release/dp-ridge-peer" stream 20 4 2 > memory.json
"$python" "$here/sql_peers.py" compare memory.json duckdb.json spark.json

for engine in duckdb spark; do
    "$dp_ridge" release --stats $engine.json "$@" --eps 1 --delta 1e-9 --out $engine-model.json
done
