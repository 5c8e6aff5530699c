"""Make what everybody may read once, as long as it says the same, and keep little of it."""

import dataclasses
import datetime
import threading
from collections.abc import Callable

from core.receipts.document import Document, Line
from core.receipts.made import ContentCache, render_public
from core.receipts.output import Output, render
from core.receipts.paper import Paper

AT = datetime.datetime(2027, 3, 7, tzinfo=datetime.UTC)


def making(content: bytes, contents: list[bytes]) -> Callable[[], bytes]:
    def make() -> bytes:
        contents.append(content)
        return content

    return make


def test_a_content_is_made_once_and_the_longest_unused_goes() -> None:
    contents: list[bytes] = []
    kept = ContentCache(most_bytes=10)
    for content in (b"aaaa", b"bbbb", b"aaaa", b"cccc", b"aaaa"):
        assert kept.get(content, make=making(content, contents)) == content
    assert contents == [b"aaaa", b"bbbb", b"cccc"]
    assert kept.get(b"bbbb", make=making(b"bbbb", contents)) == b"bbbb"
    assert contents[3:] == [b"bbbb"]
    big = bytes(11)
    assert kept.get("big", make=making(big, contents)) == big
    assert kept.get("big", make=making(big, contents)) == big
    assert contents[4:] == [big, big]  # more than all that may be kept


def test_who_asks_at_the_same_time_waits_for_the_first() -> None:
    kept, contents, begun = ContentCache(), [], threading.Event()

    def make() -> bytes:
        begun.wait(60)
        contents.append(1)
        return b"x"

    threads = [threading.Thread(target=kept.get, args=("x",), kwargs={"make": make}) for _ in "abc"]
    for thread in threads:
        thread.start()
    begun.set()
    for thread in threads:
        thread.join()
    assert contents == [1]


def test_a_paper_is_made_anew_when_it_says_anything_else() -> None:
    document = Document(language="ca", blocks=(Line("one"),), simulated=False)

    def text(changed: Document) -> bytes:
        return render_public(changed, output=Output.TXT, created_at=AT, paper=Paper.A4)

    assert text(document) is text(dataclasses.replace(document))
    for change in ({"blocks": (Line("two"),)}, {"simulated": True}, {"language": "es"}):
        other = dataclasses.replace(document, **change)
        assert text(other) == render(other, output=Output.TXT, created_at=AT, paper=Paper.A4)
        assert text(other) is not text(document)
    page = render_public(document, output=Output.HTML, created_at=AT, paper=Paper.A4)
    assert page.startswith(b"<!doctype html>")
