"""The stand-alone verifiers, as modules: they find each other by being in one folder."""

import importlib
import sys
from types import ModuleType

from core.tools.embedded.server import ROOT

FOLDER = ROOT / "verify"


def verifier(name: str) -> ModuleType:
    """`verify/NAME.py`."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
