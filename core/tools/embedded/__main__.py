"""Run a command with the embedded servers, or stop them: `python -m core.tools.embedded`.

run [--folder DIR] -- COMMAND...   start what DATABASE_URL and BROKER_URL do not name, run
                                   COMMAND with both set, stop what was started
stop [--folder DIR]                stop servers still running in the folder, though others use them
destroy [--folder DIR]             the same, and remove them with their data
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError, dying_with_parent
from core.tools.embedded.provision import provided
from core.tools.embedded.server import var_folder
from core.tools.embedded.valkey import Valkey


def run(folder: Path, command: list[str]) -> int:
    """Run `command`. Return its exit code as a shell gives it: 128 + N if the signal N ended it."""
    environment = os.environ | {"VAR_DIR": str(folder)}
    children: list[subprocess.Popen[bytes]] = []
    asked_to_end: list[int] = []

    def end(number: int, _: object) -> None:
        asked_to_end.append(number)
        for child in children:
            child.terminate()

    with provided(folder, environment) as provision:
        # The handler is set before the command starts, so that no signal is missed.
        signal.signal(signal.SIGTERM, end)
        try:
            child = subprocess.Popen(
                command,
                env=provision.environment,
                preexec_fn=dying_with_parent(signal.SIGTERM),
            )
        except OSError as error:
            raise EmbeddedError(f"{command[0]}: {error.strerror}.") from None
        children.append(child)
        if asked_to_end:
            child.terminate()
        # Ctrl-C reaches the child too; this process ends when the child has ended.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = child.wait()
    return code if code >= 0 else 128 - code


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m core.tools.embedded",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("run", "stop", "destroy"))
    parser.add_argument("--folder", type=Path, default=var_folder(), help="by default $VAR_DIR")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, command = parser.parse_args(words[:cut]), words[cut + 1 :]
    folder = arguments.folder.absolute()
    if (arguments.action == "run") != bool(command):
        parser.error("`run` needs a command after --, the others take none")
    try:
        if arguments.action == "run":
            return run(folder, command)
        for server in (Valkey(folder / "valkey"), Postgres(folder / "postgres")):
            server.stop_for_all() if arguments.action == "stop" else server.destroy()
        return 0
    except EmbeddedError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
