"""Fetch what the other scripts read: the public log, and the proof of your ticket.

    python fetch.py ADDRESS FOLDER [CODE]

ADDRESS is the organiser's, such as https://lototrot.example; CODE is the one on your ticket of
Lototrot. The files go into FOLDER. They prove nothing yet: this script says what to run next, with
the keys that the log itself names. Compare these with what the organiser has printed. A copy that
is in FOLDER already is replaced by one that goes on from it, and by no other.
"""

import json
import shlex
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from entry import canonical, main, parsed, printable
from forms import Refused, need, sha256, text

MOST_BYTES, MOST_S = 64 * 2**20, 30
HERE = "127.0.0.1", "::1", "localhost"
BUSY = 429, 503
FETCHED = "FETCHED, not checked. Compare the key with what the organiser has printed. Now run:"


def asked(address: str, body: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what an address answers: an object of JSON, of a size that fits here."""
    need(address.startswith(("https://", "http://")), "ADDRESS", "not https:// and a name")
    content = None if body is None else json.dumps(body).encode()
    header = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, content, header)  # noqa: S310  # one of the two
    value = parsed(received(request).decode(errors="surrogateescape"), address)
    need(type(value) is dict, address, "not an object")
    need("code" not in value, address, f"{value.get('code')}: {value.get('detail')}")
    fetched: dict[str, Any] = value
    return fetched


def received(request: urllib.request.Request) -> bytes:
    """Return the answer to a request. Ask again, later each time, while the server is busy."""
    for wait_s in range(1, MOST_S):
        try:
            with urllib.request.urlopen(request, timeout=MOST_S) as answer:  # noqa: S310
                content: bytes = answer.read(MOST_BYTES)
                return content
        except urllib.error.HTTPError as error:
            content = error.read(MOST_BYTES)  # it says why
            if error.code not in BUSY:
                return content
        except urllib.error.URLError as error:
            raise Refused(f"{request.full_url}: no answer ({error.reason})") from None
        time.sleep(wait_s)
    return content


def log_of(address: str, file: Path) -> list[str]:
    """Write the public log, an entry a line. Return the keys that no other key has signed."""
    keys, number = list[str](), 0
    cursor: Any = ""
    with file.open("w", encoding="utf-8", newline="\n") as lines:
        while True:
            query = urllib.parse.urlencode({"limit": 200} | ({"cursor": cursor} if cursor else {}))
            page = asked(f"{address}/api/v1/log?{query}")
            entries, cursor = page.get("items"), page.get("next")
            for entry in entries or []:
                number += 1
                is_next = type(entry) is dict and entry.get("sequence") == number
                need(is_next, f"entry {number}", "missing, added or moved")
                lines.write(canonical(entry).decode() + "\n")
                if entry["kind"] == "proofs.key" and entry["document"]["reason"] != "rotation":
                    keys.append(entry["document"]["public_key"])
            if not entries or not text(cursor) or not cursor:
                break
    need(number and all(map(sha256, keys)), "log", "without entries, or with a key that is none")
    return keys


def keep(new: Path, log: Path) -> None:
    """Put a new copy of the log in the place of one that was kept, which must be its beginning: of
    two logs that differ, both are needed to show it."""
    if log.is_file():
        with log.open("rb") as older, new.open("rb") as newer:
            for number, line in enumerate(older, start=1):
                goes_on = newer.readline() == line
                need(goes_on, f"entry {number} of {new}", f"not as in {log}, your copy of before")
    new.replace(log)


def check(address: str, folder: str, code: str = "") -> str:
    address, files = address.rstrip("/"), Path(folder)
    place = urllib.parse.urlsplit(address)
    private = place.scheme == "https" or place.hostname in HERE
    unseen = private or not code
    need(unseen, "ADDRESS", "not https://: who sees your code on the way can have it paid")
    files.mkdir(parents=True, exist_ok=True)
    log, new, proof = files / "log.jsonl", files / "log.new.jsonl", files / "proof.json"
    keys = ",".join(log_of(address, new))
    keep(new, log)
    following = [["public_log.py", log, keys], ["contests.py", log, keys]]
    if code:
        answer = asked(f"{address}/api/v1/lototrot/proofs", {"code": code})
        proof.write_bytes(canonical(answer))
        following.append(["ticket.py", proof, code, keys, log])
    commands = [f"python {shlex.join(map(str, words))}" for words in following]
    return "\n".join([FETCHED, *map(printable, commands)])


if __name__ == "__main__":
    main(check, "fetch.py ADDRESS FOLDER [CODE]")
