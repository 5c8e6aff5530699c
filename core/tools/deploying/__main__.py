"""Write what is shipped for production into docs/deploy: `python -m core.tools.deploying`.

--check   write nothing, and end with 1 naming the files that are not what would be written
--lint    have the files of containers and Kubernetes examined by the schemas of their own tools,
          with programs from requirements.tools.lock; say so where these cannot be had, and end
          with 0
"""

import argparse
import subprocess
from pathlib import Path

from core.tools.deploying import kubernetes, patroni
from core.tools.deploying.compose import composed
from core.tools.deploying.units import units
from core.tools.embedded.server import ROOT
from core.tools.supplies import tool

FOLDER = ROOT / "docs" / "deploy"
_PROGRAMS = ROOT / "var" / "tools"
_LINTERS = {
    "compose.yaml": ("check-jsonschema", "--builtin-schema", "vendor.compose-spec"),
    "kubernetes.yaml": ("kubernetes-validate", "--strict"),
}


def files() -> dict[str, str]:
    """Return the text of each written file by its name."""
    return {
        "compose.yaml": composed(),
        "kubernetes.yaml": kubernetes.written(),
        "patroni.yml": patroni.shipped(),
        "pg_service.conf": patroni.service(),
        "postgresql.conf": patroni.alone(),
        **units(),
    }


def stale(folder: Path) -> list[str]:
    """Return the names of the files of a folder that are missing or not what would be written.

    A unit that no process has is one of them.
    """
    generated = files()
    differing = {
        name
        for name, text in generated.items()
        if not (folder / name).exists() or (folder / name).read_text("utf-8") != text
    }
    unknown = {path.name for path in folder.glob("*.service")} - generated.keys()
    return sorted(differing | unknown)


def lint(folder: Path) -> int:
    """Print what the linters say of a folder; return 1 if one finds a fault."""
    faults = 0
    for name, (program, *options) in _LINTERS.items():
        try:
            command = [str(tool(program, _PROGRAMS)), *options, str(folder / name)]
        except (OSError, subprocess.CalledProcessError):
            print(f"lint skipped: {program} cannot be installed")
            return 0
        faults += bool(subprocess.run(command, check=False).returncode)
    return bool(faults)


def main(words: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Write the files, or compare them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m core.tools.deploying", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--lint", action="store_true", help="examine what is written")
    arguments = parser.parse_args(words)
    if arguments.lint:
        return lint(folder)
    if arguments.check:
        for name in (names := stale(folder)):
            print(f"{name} is not what core/tools/deploying writes: run make deploy")
        return bool(names)
    for name, text in files().items():
        (folder / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
