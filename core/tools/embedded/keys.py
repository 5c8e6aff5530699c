"""Make the keys of a demonstration once, and give each process the files of its own."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from core.database.fresh_keys import fresh
from core.kernel.holding import HELD, PUBLISHING


def kept(name: str, folder: Path, make: str) -> str:
    """Return the content of `folder/name`, and write `make` there first if it does not exist.

    If several processes write at once, the first one decides the content.
    """
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(make)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


def environment_of(
    kind: str, environment: Mapping[str, str], folder: Path, signer: Path
) -> dict[str, str]:
    """Return the environment of a process of that kind: its own keys, as files, and no other.

    A key that `environment` gives stays as it is given. One that is missing is made in `folder`,
    but not in production.
    """
    every = {*(f"{name}_FILE" for name in HELD["console"]), *HELD["console"]}
    own = {name: value for name, value in environment.items() if name not in every}
    for name in sorted(HELD[kind]):
        sources = {each: environment.get(each, "") for each in (name, f"{name}_FILE")}
        own |= {each: value for each, value in sources.items() if value}
        if not any(sources.values()) and environment.get("PROFILE") == "development":
            kept(name, folder, fresh(name))
            own[f"{name}_FILE"] = str(folder / name)
    own["PROCESS"] = kind
    own["SIGNER"] = str(signer) if kind in PUBLISHING else ""
    return own
