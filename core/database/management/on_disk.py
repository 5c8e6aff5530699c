"""Wait until the names of files are on the disk."""

import errno
import os
from pathlib import Path


def names_keep(folder: Path) -> None:
    """Wait until the names in a folder are on the disk. A file whose name is not is lost with the
    power, though its content is there.

    Some disks of a network keep names by themselves, and refuse to be asked. Raises OSError.
    """
    try:
        number = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that takes files and shows none
        return
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(number)
