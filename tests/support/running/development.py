"""Give tools that load Django's settings, such as mypy, those of development."""

import os

os.environ.setdefault("PROFILE", "development")

from core.config.settings import *  # noqa: F403
