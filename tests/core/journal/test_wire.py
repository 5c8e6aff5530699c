"""Compare the worked bytes of docs/proofs.md, "Journal", with the system's code."""

import hashlib
import json
import re
from datetime import UTC, datetime

from core.journal import wire
from core.kernel.canonical import canonical_bytes
from core.proofs.keys import _private
from core.tools.embedded.server import ROOT

PAGE = (ROOT / "docs" / "proofs.md").read_text("utf-8")


def test_the_worked_bytes() -> None:
    found = re.search(r"<!-- example: journal -->\n```json\n(.*?)\n```", PAGE, re.DOTALL)
    assert found is not None
    shown = json.loads(found[1])
    digest = hashlib.sha256(shown["text"].encode()).digest()
    content = bytes.fromhex(shown["entry"])
    assert list(wire.entries_of(content)) == [wire.Entry(800, 7, digest)]
    form = wire.form_digest("places", sorted(json.loads(shown["text"])))
    assert form == shown["form"]
    head = wire.head(
        number=1,
        previous=wire.NOTHING_BEFORE,
        first_xid=0,
        end_xid=801,
        open_xids=(),
        sealed_at=datetime(2030, 3, 2, 11, 0, 5, tzinfo=UTC),
        blocks=[wire.block_head(form, 1, hashlib.sha256(content).digest())],
    )
    assert head == shown["head"]
    message = canonical_bytes(head)
    assert hashlib.sha256(message).hexdigest() == shown["digest"]
    assert _private(bytes(range(32))).sign(message).hex() == shown["signature"]
