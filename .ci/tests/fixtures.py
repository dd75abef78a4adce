"""A small workspace: `core` under `tool` under `front`, and `checker`, whose tests use `core`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workspace  # noqa: E402


def package(name, folder, version="1.2.0", publish=None, **needs):
    return {
        "name": name,
        "version": version,
        "manifest_path": f"/ws/{folder}/Cargo.toml",
        "publish": publish,
        "dependencies": [
            {"name": used, "kind": None if kind == "normal" else kind}
            for kind, names in needs.items()
            for used in names
        ],
    }


MEMBERS = workspace.parse(
    {
        "workspace_root": "/ws",
        "packages": [
            package("front", "crates/front", normal=["tool", "serde"]),
            package("tool", "crates/tool", normal=["core"], dev=["tool"]),
            package("core", "shared/core", build=["cc"]),
            package("checker", "checker", publish=[], dev=["core"]),
            package("lone", "crates/lone"),
        ],
    }
)
