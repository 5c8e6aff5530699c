"""Run a cluster on this machine and play a race day on it: `python -m core.tools.cluster`.

It says what runs where, and stays until Ctrl-C. With `--kill any` it then kills one machine after
another while terminals sell; `--once` ends after the race day, or after so many kills.
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from random import Random

from core.tools.cluster import software
from core.tools.cluster.network import enter_own_network, network
from core.tools.embedded import folders
from core.tools.embedded.processes import EmbeddedError, server_account
from core.tools.embedded.server import var_folder


def new_folder(name: str) -> Path:
    """Return an empty folder of that name below $VAR_DIR; what an earlier run left is removed."""
    folder = var_folder() / name
    if folder.is_dir():
        for entry in list(folder.iterdir()):
            if entry.is_symlink():
                folders.remove(entry)
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m core.tools.cluster", description=__doc__)
    parser.add_argument("--kill", choices=("", "any"), default="", help="kill machines as it goes")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of what is killed")
    parser.add_argument("--once", type=int, default=0, metavar="KILLS", help="end by itself")
    arguments = parser.parse_args(words)
    # The index of packages is outside the network of our own.
    software.installed(var_folder() / "cluster-software", server_account(Path("/nonexistent")))
    enter_own_network()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
    import django

    django.setup()
    from core.tools.cluster.showing import Showing

    try:
        with Showing(new_folder("cluster"), network()) as showing:
            showing.race_day()
            showing.where()
            if arguments.kill:
                seed = arguments.seed
                print(f"  · seed {seed}: KILL={arguments.kill} CLUSTER_SEED={seed} repeats it")
                showing.kill_as_it_goes(Random(seed), arguments.once)  # noqa: S311
            elif not arguments.once:
                showing.stay()
    except EmbeddedError as fault:
        print(f"Something went wrong: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
