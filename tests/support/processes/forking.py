"""Run programs, each in a fork of one process in which Django is set up: it is loaded once."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from core.tools.embedded.server import ROOT

_FORKING = """
import json
import os
import sys
import tempfile

import django

django.setup()
for program in json.load(sys.stdin):
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            exec(program, {"__name__": "__main__"})
            sys.exit()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        print(json.dumps([code, output.read(), errors.read()]), flush=True)
"""


def forked(
    *programs: str, environment: Mapping[str, str] | None = None
) -> list[subprocess.CompletedProcess[str]]:
    """Return how each program ended. They run one after another, in the environment given."""
    process = subprocess.run(
        [sys.executable, "-c", _FORKING],
        cwd=ROOT,
        env=os.environ | (environment or {}),
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    return [
        subprocess.CompletedProcess([], *json.loads(line)) for line in process.stdout.splitlines()
    ]
