"""Write the Parquet table of the SQL runs, a row group at a time: 20 features and a target.

Every row has a common part, so that no sum of products is near zero; about one row in three is
longer than the bound 4 and one target in eight is outside [-2, 2].
"""

import argparse
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GROUP = 1 << 17
FEATURES = 20


def groups(rows, seed):
    rng = np.random.default_rng(seed)
    beta = np.linspace(-0.5, 0.6, FEATURES)
    for start in range(0, rows, GROUP):
        n = min(GROUP, rows - start)
        x = 0.7 * rng.standard_normal((n, FEATURES)) + 0.4 * rng.random((n, 1)) + 0.2
        y = x @ beta + 0.5 + 0.3 * rng.standard_normal(n)
        yield x, y


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    names = [f"x{i}" for i in range(FEATURES)] + ["y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    # Random doubles do not compress; dictionaries would only cost memory.
    options = {"compression": "none", "use_dictionary": False}
    with pq.ParquetWriter(args.out, schema, **options) as writer:
        for x, y in groups(args.rows, seed=20260601):
            columns = [np.ascontiguousarray(x[:, j]) for j in range(FEATURES)] + [y]
            writer.write_table(pa.table(dict(zip(names, columns)), schema=schema), GROUP)


if __name__ == "__main__":
    main()
