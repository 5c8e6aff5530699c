"""Make what everybody may read once in each process, and give it out from memory.

A key says all that the content is made of: digests of it, never only the number of a row. So
nothing that is kept can be out of date, and nobody has to forget it. Never for a paper that one
person holds, such as a ticket.
"""

import datetime
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from core.receipts.document import Document
from core.receipts.output import Output, render
from core.receipts.paper import Paper

MOST_BYTES = 32 * 1024 * 1024


class ContentCache:
    """Contents by their keys. Together they have `most_bytes` at most: the longest unused go."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._contents: OrderedDict[tuple[Hashable, ...], bytes] = OrderedDict()
        self._most_bytes, self._bytes = most_bytes, 0
        self._using, self._making = threading.Lock(), threading.Lock()

    def get(self, *key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Return the content of the key. The first caller makes it; the others wait."""
        content = self._kept(key)
        if content is not None:
            return content
        with self._making:
            content = self._kept(key)
            return self._keep(key, make()) if content is None else content

    def _kept(self, key: tuple[Hashable, ...]) -> bytes | None:
        with self._using:
            if key in self._contents:
                self._contents.move_to_end(key)
            return self._contents.get(key)

    def _keep(self, key: tuple[Hashable, ...], content: bytes) -> bytes:
        with self._using:
            self._contents[key] = content
            self._bytes += len(content)
            while self._bytes > self._most_bytes:
                _, oldest = self._contents.popitem(last=False)
                self._bytes -= len(oldest)
        return content


public_contents = ContentCache()


def render_public(
    document: Document, *, output: Output, created_at: datetime.datetime, paper: Paper
) -> bytes:
    """Return a document for everybody as a file, made once as long as it says the same."""
    digest = hashlib.sha256(repr((document, created_at)).encode()).digest()
    return public_contents.get(
        *("paper", digest, output, paper),
        make=lambda: render(document, output=output, created_at=created_at, paper=paper),
    )
