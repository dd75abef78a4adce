"""The files that both sides read: the same bytes on every run."""

import numpy as np


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20260602)

    def save(name, array):
        np.save(folder / f"{name}.npy", array)

    gram = rng.standard_normal((1_000_000, 50))
    target = np.clip(gram @ rng.uniform(-0.1, 0.1, 50) + rng.standard_normal(len(gram)), -5, 5)
    for name, rows in (("gram", 1_000_000), ("einsum", 200_000)):
        save(f"{name}_x", gram[:rows])
        save(f"{name}_y", target[:rows])

    half = rng.standard_normal((400, 200))
    save("eigen", half.T @ half)

    alphas, floors = np.logspace(-4, 1, 100), np.logspace(-3, 1, 100)
    save("grid", np.stack([np.repeat(alphas, 100), np.tile(floors, 100)], axis=1))

    x = rng.standard_normal((120_000, 10))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    chance = 1 / (1 + np.exp(-x @ np.full(10, 3 / np.sqrt(10))))
    save("logistic_x", x)
    save("logistic_y", (rng.random(len(x)) < chance).astype(float))

    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((10_000, 10))
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        x *= np.minimum(1, 4 / norms)
        theta = rng.standard_normal(10)
        theta *= 0.5 / np.linalg.norm(theta)
        y = np.clip(x @ theta + 0.1 * rng.standard_normal(len(x)), -2, 2)
        save(f"functional_{seed}_x", x)
        save(f"functional_{seed}_y", y)
        save(f"functional_{seed}_theta", theta)
