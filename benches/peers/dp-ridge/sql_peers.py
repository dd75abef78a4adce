"""The engines of sql.sh: run the query, feed the rows to dp-ridge, compare the sums."""

import json
import os
import pathlib
import resource
import sys
import time

LIMIT = 1e-10


def report(engine, start, detail):
    print(f"{engine}: {time.perf_counter() - start:.1f} s, {detail}", flush=True)


def run_duckdb(table, query, out):
    import duckdb

    connection = duckdb.connect(config={"threads": 2, "temp_directory": "spill"})
    connection.execute("SET memory_limit='1GB'")
    connection.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{table}')")
    start = time.perf_counter()
    cursor = connection.execute(pathlib.Path(query).read_text())
    names = [column[0] for column in cursor.description]
    row = dict(zip(names, map(plain, cursor.fetchone())))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report(f"DuckDB {duckdb.__version__}", start, f"peak resident memory {peak:.0f} MiB")
    pathlib.Path(out).write_text(json.dumps(row))
    if peak >= 1024:
        sys.exit("DuckDB took more than 1 GiB")


def run_spark(table, query, out):
    import pyspark
    from pyspark.sql import SparkSession

    # Two workers in processes of their own; the distribution inside the package can start them.
    os.environ["SPARK_HOME"] = str(pathlib.Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executor.memory", "1g")
        .config("spark.driver.memory", "1g")
        # The query returns 254 columns; above 100 Spark would interpret it row by row.
        .config("spark.sql.codegen.maxFields", 2000)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    session.read.parquet(str(pathlib.Path(table).resolve())).createOrReplaceTempView("people")
    start = time.perf_counter()
    # One statement without its closing semicolon is what spark.sql takes.
    row = session.sql(pathlib.Path(query).read_text().rstrip().rstrip(";")).first().asDict()
    master = session.sparkContext.master
    report(f"Spark {session.version}", start, f"master {master}")
    session.stop()
    pathlib.Path(out).write_text(json.dumps({name: plain(v) for name, v in row.items()}))


def plain(value):
    """Counts come as wide integers or decimals from some engines."""
    return value if isinstance(value, (int, float)) else int(value)


def send_rows(table):
    import numpy as np
    import pyarrow.parquet as pq

    file = pq.ParquetFile(table)
    out = os.fdopen(sys.stdout.fileno(), "wb")
    for batch in file.iter_batches(batch_size=1 << 16):
        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
        out.write(np.column_stack(columns).tobytes())


def compare(reference, *others):
    reference = json.loads(pathlib.Path(reference).read_text())
    failed = False
    for name in others:
        other = json.loads(pathlib.Path(name).read_text())
        other.pop("settings")  # a fingerprint, not a sum
        if other.keys() != reference.keys():
            sys.exit(f"{name}: other columns")
        counts = all(other[k] == reference[k] for k in ("n", "clipped_x", "clipped_y"))
        worst = max(abs(other[k] / v - 1) for k, v in reference.items() if v)
        failed |= not counts or worst > LIMIT
        print(
            f"{name}: n {other['n']}, clipped rows {other['clipped_x']} and targets "
            f"{other['clipped_y']} ({'the same' if counts else 'OTHER'} in memory); "
            f"largest relative difference of a sum {worst:.1e} (limit {LIMIT:.0e})"
        )
    if failed:
        sys.exit("the SQL and the in-memory statistics differ")


if __name__ == "__main__":
    {"duckdb": run_duckdb, "spark": run_spark, "rows": send_rows, "compare": compare}[sys.argv[1]](*sys.argv[2:])
