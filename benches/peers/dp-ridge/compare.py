"""dp-ridge beside NumPy, scikit-learn, diffprivlib and OpenDP, taking turns on the same files."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import sys
import time
import warnings

# These steer OpenBLAS to slower kernels than it would choose; a peer runs at its best.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)

import diffprivlib
import numpy as np
import opendp.prelude as dp
import scipy.stats
import sklearn.linear_model
import threadpoolctl
from diffprivlib.models import LinearRegression, LogisticRegression

import functional
import inputs
from driver import Driver

VERSIONS = {
    "numpy": np.__version__,
    "scipy": scipy.__version__,
    "scikit-learn": sklearn.__version__,
    "diffprivlib": diffprivlib.__version__,
    "opendp": dp.__version__,
    "python": platform.python_version(),
}


class Comparison:
    def __init__(self, driver, data, repetitions):
        self.driver, self.data, self.repetitions = driver, data, repetitions
        self.rows, self.failures = [], []

    def path(self, name):
        return self.data / f"{name}.npy"

    def load(self, name):
        return np.load(self.path(name))

    def run(self, task, peer_name, peer, crate, agree, threads, target):
        """Take turns; `agree(peer answer, crate answer)` returns (holds, what was compared)."""
        times, work = {"peer": [], "crate": []}, {"peer": [], "crate": []}
        here, there = os.getpid(), self.driver.process.pid
        with threadpoolctl.threadpool_limits(threads):
            peer(), crate()
            for _ in range(self.repetitions):
                start, before = time.perf_counter(), cpu_seconds(here)
                expected = peer()
                times["peer"].append(time.perf_counter() - start)
                work["peer"].append(cpu_seconds(here) - before)
                # The peer's idle threads spin on the cores for a while before they sleep.
                time.sleep(0.2 if threads > 1 else 0)
                before = cpu_seconds(there)
                seconds, got = crate()
                times["crate"].append(seconds)
                work["crate"].append(cpu_seconds(there) - before)
        holds, compared = agree(expected, got)
        if not holds:
            self.failures.append(f"{task} vs {peer_name}: {compared}")
        ratio = np.median(times["peer"]) / np.median(times["crate"])
        self.rows.append(
            {
                "task": task,
                "peer": peer_name,
                "threads": threads,
                "peer_seconds": spread(times["peer"]),
                "crate_seconds": spread(times["crate"]),
                "times_faster": ratio,
                "times_less_cpu": np.median(work["peer"]) / np.median(work["crate"]),
                "target_times_faster": target,
                "agreement": compared,
                "agrees": bool(holds),
            }
        )
        print(markdown_row(self.rows[-1]), flush=True)


def cpu_seconds(pid):
    """What the threads of a process have computed: fair even when others use the machine."""
    files = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(f.read_text().split()[0]) for f in files) * 1e-9 or float("nan")


def spread(times):
    low, median, high = np.quantile(times, [0.25, 0.5, 0.75])
    return {"median": median, "q1": low, "q3": high, "all": times}


def within(limit, scale=None):
    def agree(expected, got):
        expected, got = np.ravel(expected), np.ravel(got)
        size = np.abs(expected).max() if scale is None else scale
        worst = np.abs(expected - got).max() / size
        return worst <= limit, f"largest difference {worst:.1e} of {limit:.0e}"

    return agree


def gram(c, threads):
    bounds = (100.0, 10.0)  # no row is longer: the answer is XᵀX itself
    for name, label, peer, target in (
        ("gram", "NumPy `X.T @ X`", lambda x: x.T @ x, 1.0),
        ("einsum", "diffprivlib's `einsum('ij,ik', X, X)`", lambda x: np.einsum("ij,ik", x, x), 8.0),
    ):
        x = c.load(f"{name}_x")
        files = {"x": c.path(f"{name}_x"), "y": c.path(f"{name}_y")}
        c.run(
            f"XᵀX, n={len(x):.0e}, d=50, with Xᵀy and clipping",
            label,
            lambda: peer(x),
            lambda: c.driver.run("gram", **files, bounds=bounds, threads=threads),
            within(1e-12),
            threads,
            target,
        )


def linear_regression(c, threads):
    x, y = c.load("einsum_x"), c.load("einsum_y")
    files = {"x": c.path("einsum_x"), "y": c.path("einsum_y")}
    model = LinearRegression(
        epsilon=1e9, bounds_X=(-6, 6), bounds_y=(-5, 5), fit_intercept=False
    )
    c.run(
        "functional mechanism, n=2e5, d=50",
        "diffprivlib `LinearRegression.fit`",
        lambda: model.fit(x, y).coef_,
        lambda: c.driver.run(
            "functional", **files, limits=(-6, 6), target=(-5, 5), epsilon=1e9, seed=1
        ),
        # At this epsilon both are the least-squares fit, the peer's by BFGS.
        within(1e-4),
        threads,
        8.0,
    )


def eigen(c, threads):
    matrix = c.load("eigen")
    c.run(
        "eigen, d=200",
        "NumPy `eigh`",
        lambda: np.linalg.eigh(matrix)[0],
        lambda: c.driver.run("eigen", x=c.path("eigen")),
        within(1e-10),
        threads,
        1 / 1.5,
    )


def discrete_gaussian(c):
    dp.enable_features("contrib")
    count = 10_000

    def measurement(kind, scale):
        nan = {} if kind is int else {"nan": False}
        domain = dp.vector_domain(dp.atom_domain(T=kind, **nan))
        return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)

    # A uniform draw within each cell makes the integers continuous; with cells of σ/100 the sum
    # is normal to far less than 10⁴ draws can tell.
    within_cell = np.random.default_rng(3)

    def agree(peer_cell, crate_sigma):
        def check(expected, got):
            scaled = []
            for draws, sigma, cell in ((expected, 100.0, peer_cell), (got, crate_sigma, 1.0)):
                draws = np.asarray(draws, dtype=float)
                scaled.append((draws + cell * within_cell.uniform(-0.5, 0.5, count)) / sigma)
            p = [scipy.stats.kstest(draws, "norm").pvalue for draws in scaled]
            return min(p) > 1e-4, f"Kolmogorov p: peer {p[0]:.2g}, crate {p[1]:.2g}"

        return check

    whole, real = measurement(int, 100.0), measurement(float, 100.0)
    zeros, floats = [0] * count, [0.0] * count
    c.run(
        "discrete Gaussian, 10⁴ integers, σ=100",
        "OpenDP `make_gaussian`, integers",
        lambda: whole(zeros),
        lambda: c.driver.run("discrete_gaussian", count=count, variance=10_000),
        agree(1.0, 100.0),
        1,
        50.0,
    )
    c.run(
        "discrete Gaussian, 10⁴ coordinates on the release lattice 2⁻²⁰σ",
        "OpenDP `make_gaussian`, floats",
        lambda: real(floats),
        lambda: c.driver.run("discrete_gaussian", count=count, variance=1 << 40),
        agree(0.0, float(1 << 20)),
        1,
        50.0,
    )


def path(c, threads):
    x, y, grid = c.load("einsum_x"), c.load("einsum_y"), c.load("grid")
    files = {name: c.path(f"einsum_{name}") for name in "xy"}
    out = c.data / "path.npy"
    g, b = x.T @ x / len(x), x.T @ y / len(x)
    smallest = np.linalg.eigvalsh(g)[0]
    identity = np.eye(len(g))

    def solves():
        shifts = np.maximum(grid[:, 1] - smallest, 0) + grid[:, 0]
        return np.stack([np.linalg.solve(g + shift * identity, b) for shift in shifts])

    def crate():
        arguments = {"bounds": (100.0, 10.0), "grid": c.path("grid"), "out": out}
        seconds, _ = c.driver.run("path", **files, **arguments)
        return seconds, np.load(out)

    c.run(
        "path of 10⁴ (α, c), d=50, after one eigendecomposition",
        "10⁴ × NumPy `solve`",
        solves,
        crate,
        within(1e-10),
        threads,
        None,
    )
    seconds = c.rows[-1]["crate_seconds"]["median"]
    c.rows[-1]["target_note"] = "< 50 ms"
    if seconds >= 0.05:
        print(f"the path took {seconds * 1e3:.0f} ms; the target is 50 ms")


def logistic(c, threads):
    x, y = c.load("logistic_x"), c.load("logistic_y")
    files = {name: c.path(f"logistic_{name}") for name in "xy"}
    alpha = 1e-3
    common = {"C": 1 / (len(x) * alpha), "fit_intercept": False, "max_iter": 10_000}

    def crate(grad_tol):
        arguments = {"bounds": (1.0, 1.0), "alpha": alpha, "radius": 20.0, "threads": threads}
        return c.driver.run("logistic", **files, **arguments, grad_tol=grad_tol)

    for label, model, agree in (
        (
            "scikit-learn lbfgs, `tol=1e-10`",
            sklearn.linear_model.LogisticRegression(**common, tol=1e-10),
            within(1e-6),
        ),
        (
            "scikit-learn lbfgs, default `tol=1e-4`",
            sklearn.linear_model.LogisticRegression(**common),
            within(1e-2),
        ),
        (
            "diffprivlib `LogisticRegression.fit`",
            LogisticRegression(**common, epsilon=1e9, data_norm=1.0 + 1e-9),
            within(1e-2),
        ),
    ):
        c.run(
            "logistic ERM, n=1.2e5, d=10, gradient 1e-10",
            label,
            lambda: model.fit(x, y).coef_,
            lambda: crate(1e-10),
            agree,
            threads,
            2.0,
        )


HEADER = """| task | peer | threads | peer, median [IQR] | dp-ridge, median [IQR] | times faster | target | times less CPU | same answer |
|---|---|---|---|---|---|---|---|---|"""


def milliseconds(s):
    return f"{s['median'] * 1e3:.4g} ms [{s['q1'] * 1e3:.4g}, {s['q3'] * 1e3:.4g}]"


def markdown_row(r):
    target = r.get("target_note") or (
        f"{r['target_times_faster']:.2g}" if r["target_times_faster"] else ""
    )
    mark = "yes" if r["agrees"] else "**no**"
    cells = [
        r["task"],
        r["peer"],
        r["threads"],
        milliseconds(r["peer_seconds"]),
        milliseconds(r["crate_seconds"]),
        f"{r['times_faster']:.2f}",
        target,
        f"{r['times_less_cpu']:.2f}",
        f"{mark}: {r['agreement']}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def machine():
    model = "unknown"
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        lines = [l for l in info.read_text().splitlines() if l.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    pools = threadpoolctl.threadpool_info()
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "kernels": sorted({str(p.get("architecture", p["internal_api"])) for p in pools}),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--repetitions", type=int, default=7)
    args = parser.parse_args()
    warnings.simplefilter("ignore")

    inputs.write(args.data)
    driver = Driver(args.driver)
    comparison = Comparison(driver, args.data, args.repetitions)
    result = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": VERSIONS,
        "repetitions": args.repetitions,
    }
    print(json.dumps(result, indent=1))
    if result["machine"]["load"] > 1:
        print("Others use this machine: trust the CPU column, and 1 thread more than 2.")
    print(HEADER)
    for threads in (1, 2):
        gram(comparison, threads)
        eigen(comparison, threads)
        path(comparison, threads)
        logistic(comparison, threads)
    linear_regression(comparison, 1)
    discrete_gaussian(comparison)

    print()
    result["rows"] = comparison.rows
    result["functional"] = functional.compare(driver, args.data)
    comparison.failures += [f for f in result["functional"]["failures"]]
    driver.close()
    args.out.write_text(json.dumps(result, indent=1))
    for failure in comparison.failures:
        print("does not agree:", failure, file=sys.stderr)
    sys.exit(1 if comparison.failures else 0)


if __name__ == "__main__":
    main()
