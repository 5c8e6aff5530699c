"""Audit and list the packages that the images install: `python -m core.tools.supplies audit|sbom`.

audit   look each package up that an image may install (requirements.production.lock, .backup.lock,
        .traces.lock) in the list of known faults of PyPI; end with 1 if one has a fault, and with a
        line and 0 where that list cannot be reached
sbom    write var/sbom.json, var/sbom.backup.json and var/sbom.traces.json, the lists of these
        packages in the form CycloneDX

The programs for it are installed from requirements.tools.lock into an environment of their own.
"""

import argparse
import json
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path
from urllib.error import URLError

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {
    "sbom.json": ROOT / "requirements.production.lock",
    "sbom.backup.json": ROOT / "requirements.backup.lock",
    "sbom.traces.json": ROOT / "requirements.traces.lock",
}
"""The packages of the images, by the name of their list: traces are the program's choice."""
TOOLS = ROOT / "requirements.tools.lock"
FAULTS = "https://pypi.org/pypi/pip/json"
_ANSWER_WITHIN_S = 5


def reachable(address: str = FAULTS) -> bool:
    """Return whether the list of known faults answers."""
    try:
        with urllib.request.urlopen(address, timeout=_ANSWER_WITHIN_S):  # noqa: S310
            return True
    except (URLError, OSError, ValueError):
        return False


def tool(name: str, folder: Path) -> Path:
    """Return the path of a program in `folder`, which is made from requirements.tools.lock."""
    program, stamp = folder / "bin" / name, folder / TOOLS.name
    if not stamp.exists() or stamp.read_bytes() != TOOLS.read_bytes():
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--require-hashes", "-r", str(TOOLS)], check=True)
        stamp.write_bytes(TOOLS.read_bytes())
    return program


def faults(report: str) -> list[str]:
    """Return a line for each known fault in the report of pip-audit (JSON)."""
    return [
        f"{package['name']} {package['version']}: {fault['id']}"
        f" (mended in {', '.join(fault['fix_versions']) or 'no version'})"
        for package in json.loads(report)["dependencies"]
        for fault in package.get("vulns", ())
    ]


def audit(folder: Path) -> int:
    """Print each known fault; return 1 if there is one."""
    if not reachable():
        print("audit skipped: the list of known faults cannot be reached")
        return 0
    known_faults: list[str] = []
    for lock in LOCKS.values():  # one by one: two images may have two versions of a package
        done = subprocess.run(
            [
                *(tool("pip-audit", folder), "--requirement", lock, "--require-hashes"),
                *("--disable-pip", "--format", "json", "--progress-spinner", "off"),
            ],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if not done.stdout.strip():
            print(f"audit skipped: the list of known faults did not answer: {lock.name}")
            break
        known_faults += faults(done.stdout)
    else:
        print("audit: no known fault" if not known_faults else "audit: known faults")
    print("".join(f"{line}\n" for line in dict.fromkeys(known_faults)), end="")
    return 1 if known_faults else 0


def sbom(folder: Path, to: Path) -> int:
    """Write the lists of packages to files in a folder."""
    to.mkdir(parents=True, exist_ok=True)
    for name, lock in LOCKS.items():
        subprocess.run(
            [
                *(tool("cyclonedx-py", folder), "requirements", lock, "--output-reproducible"),
                *("--pyproject", ROOT / "pyproject.toml", "--output-file", to / name),
            ],
            check=True,
        )
        print(
            f"{to / name}: {len(json.loads((to / name).read_text('utf-8'))['components'])} packages"
        )
    return 0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m core.tools.supplies", description=__doc__)
    parser.add_argument("act", choices=("audit", "sbom"))
    act = parser.parse_args(words).act
    folder = ROOT / "var" / "tools"
    return audit(folder) if act == "audit" else sbom(folder, ROOT / "var")


if __name__ == "__main__":
    sys.exit(main())
