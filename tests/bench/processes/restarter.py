"""Begin as web, `live` or worker begins: print the processor seconds to the first answer."""

import json
import sys
import tempfile
from pathlib import Path

import django

from tests.bench.processor import ours_s


def main() -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from django.test import Client

    from core.database.due_work import due_work
    from core.screens import live

    what = sys.argv[1]
    if what == "live":
        with tempfile.TemporaryDirectory() as folder:
            live.prepare()
            live.publish(Path(folder))
    elif what == "worker":
        for work in due_work():
            list(work.due())
    else:
        answer = Client(HTTP_HOST="localhost").get("/readyz")
        if answer.status_code != 200:
            raise SystemExit(f"not ready: {answer.status_code}")
    print(json.dumps({"seconds": ours_s()}))


main()
