"""Load the stand-alone verifiers as modules. They find each other because they are in one
folder.
"""

import importlib
import sys
from types import ModuleType

from core.tools.embedded.server import ROOT

FOLDER = ROOT / "verify"


def verifier(name: str) -> ModuleType:
    """Return the module `verify/NAME.py`."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
