"""Write the file of a command: it is there whole or not at all, and it replaces none."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TextIO, TypeVar

from django.core.management.base import CommandError

from core.database.management.on_disk import names_keep

T = TypeVar("T")


def whole_file(target: Path, write: Callable[[TextIO], T]) -> T:
    """Return what `write` returns, when all that it wrote is on the disk under the file's name.

    `write` may be called again on what a reading that failed has left in the file (`anew`). Raises
    CommandError where the disk takes no more, or a file has that name.
    """
    part = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
    try:
        if target.exists():
            raise FileExistsError(f"{target} is there already")
        with part.open("x", encoding="utf-8") as file:
            result = write(file)
            file.flush()
            os.fsync(file.fileno())
        _name(part, target)
        names_keep(target.parent)
    except OSError as error:
        raise CommandError(f"nothing was exported: {error}") from error
    finally:
        part.unlink(missing_ok=True)
    return result


def _name(part: Path, target: Path) -> None:
    """Give a whole file its name, and replace no file that came meanwhile."""
    try:
        return target.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:  # disks for transport have no hard links
        target.touch(exist_ok=False)
    try:
        part.replace(target)
    except BaseException:
        target.unlink()
        raise


def anew(file: TextIO) -> TextIO:
    """Return a file after all that was written to it is removed."""
    file.seek(0)
    file.truncate()
    return file
