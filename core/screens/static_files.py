"""Store static files whole: each has its name only when all of it is on the disk."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import AppDirectoriesFinder
from whitenoise.storage import CompressedStaticFilesStorage

from core.screens import typeface


class WholeFiles(CompressedStaticFilesStorage):  # type: ignore[misc]
    """The storage of `collectstatic`.

    Where the disk is full, or the command is killed, a part of a file would count as collected: the
    next run leaves alone what is not older than its source.
    """

    def _save(self, name: str, content: Any) -> str:
        target = Path(self.path(name))
        part = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
        try:
            super()._save(str(part.relative_to(self.location)), content)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return name


def uncollected() -> list[str]:
    """Return the paths of this program's static files that are not collected, or cannot be read."""
    left_out = StaticFilesConfig.ignore_patterns
    paths = {path for path, _ in AppDirectoriesFinder().list(left_out)}.union(typeface.FILES)
    root = Path(settings.STATIC_ROOT)
    return sorted(path for path in paths if not os.access(root / path, os.R_OK))
