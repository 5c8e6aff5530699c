"""Publish the boards' data once a second until a signal ends it: `manage.py live`."""

import argparse
import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.db import InterfaceError, OperationalError, connection

from core.api import metrics
from core.database.management.migrated import migrations_missing, wait_until_migrated
from core.database.management.program_command import ProgramCommand
from core.database.management.refusing import in_a_sentence
from core.screens import live
from core.screens.live_server import Files, serve
from core.timekeeping import watching

logger = logging.getLogger(__name__)
EVERY_S = 1.0
_LAST_PORT = 65_535


def address(text: str) -> tuple[str, int]:
    """Return "127.0.0.1:8001" as host and port."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _LAST_PORT:
        raise argparse.ArgumentTypeError("an address is HOST:PORT")
    return host.strip("[]"), int(port)


class Command(ProgramCommand):
    help = "Write the files that the boards read, once a second, until a signal ends it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=live.folder(), help="where to write")
        parser.add_argument("--once", action="store_true", help="write them once and end")
        parser.add_argument(
            "--listen",
            type=address,
            metavar="HOST:PORT",
            help="also serve the files at this address, below /live",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        folder = options["folder"]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"the folder cannot be made: {error}") from error
        if options["once"]:
            live.prepare()
            try:
                live.publish(folder)
            except OSError as error:
                raise CommandError(f"nothing is published: {error}") from error
            return
        wait_until_migrated()
        _need_migrated()
        metrics.listen()
        watching.start()
        asyncio.run(_publish_until_told(folder, options["listen"]))


def _need_migrated() -> None:
    """Refuse a database that is not migrated.

    While none answers the process starts: the files are given out, with the age of what they say.
    """
    with in_a_sentence(), contextlib.suppress(OperationalError, InterfaceError):
        if migrations_missing():
            raise ImproperlyConfigured("the database is not migrated for this program: run migrate")
    connection.close()


async def _publish_until_told(folder: Path, listen: tuple[str, int] | None) -> None:
    """Serve the files here; publish and prepare in threads with their own database connections."""
    loop, ending = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    files = Files(folder)
    try:
        server = await serve(files, *listen) if listen else None
    except OSError as error:
        raise CommandError(f"the address cannot be served: {error.strerror}") from error
    due = loop.time()
    with ThreadPoolExecutor(1) as publisher, ThreadPoolExecutor(1) as counter:
        preparing = loop.run_in_executor(counter, _try, live.prepare)
        while not ending.is_set():
            # A publication that takes long delays the next; missed ones are not made up for.
            due = max(due + EVERY_S, loop.time())
            await loop.run_in_executor(publisher, _try, _publish, files)
            if preparing.done():
                await preparing
                preparing = loop.run_in_executor(counter, _try, live.prepare)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), due - loop.time())
        for pool in (publisher, counter):
            pool.submit(connection.close)
    if server:
        server.close()


def _publish(files: Files) -> None:
    """Publish once, and make ready to send what is in the folder, also if nothing was published."""
    try:
        live.publish(files.place)
    finally:
        unread = files.refresh()
        if unread:
            logger.error("files that cannot be read are not given out: %s", ", ".join(unread))
            metrics.UNREAD.inc(len(unread))


def _try(act: Callable[..., object], *arguments: object) -> None:
    outcome = "failed"
    try:
        act(*arguments)
        outcome = "done"
    except (OperationalError, InterfaceError) as error:
        # Boards themselves mark their data as old until the database answers again.
        logger.warning("nothing is published: %s", type(error).__name__)
        connection.close()
    except Exception:
        # A person must look at this. Boards keep their data and show its age. Ending here would
        # mean a restart each second, which would slow down sales.
        logger.exception("nothing is published")
    finally:
        metrics.PUBLISHED.labels(outcome).inc()
