"""`manage.py live`: write what the boards show, once a second, until it is told to stop."""

import logging
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import InterfaceError, OperationalError, connection

from core.screens import live

logger = logging.getLogger(__name__)
EVERY_S = 1.0


class Command(BaseCommand):
    help = "Publish what the boards show, once a second."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=live.folder(), help="where to write")
        parser.add_argument("--once", action="store_true", help="look once and end")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["once"]:
            live.publish(options["folder"])
            return
        ending = threading.Event()

        def end(_number: int, _frame: FrameType | None) -> None:
            ending.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        while not ending.is_set():
            try:
                live.publish(options["folder"])
            except (OperationalError, InterfaceError) as error:
                # Boards say for themselves that what they show is old; the server comes back.
                logger.warning("nothing is published: %s", type(error).__name__)
                connection.close()
            ending.wait(EVERY_S)
