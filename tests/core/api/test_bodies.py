"""Bodies of the hot paths: msgspec alone accepts only what the strict reader accepts."""

import json
import threading
from typing import Any

import msgspec
import pytest
from rest_framework.exceptions import ValidationError

from core.api import bodies, parsing
from core.api.errors import MalformedJson
from core.payoffice.api.claim_shapes import CodeIn, PaymentIn, TerminalPaymentIn
from lototrot.api.sale import SaleIn
from promotrot.api.play import ActIn

UUID = "0190a6c8-5f6e-7000-8000-000000000003"
PAYEE = {"name": "Aina Pons", "document_kind": "dni", "document_number": "12345678Z"}
PAYMENT: dict[str, Any] = {"uuid": UUID, "code": "1ABC-2", "amount_cents": 50, "intact": True}
SALE: dict[str, Any] = {
    "uuid": UUID,
    "contest": 1,
    "price_cents": 50,
    "amount_cents": 100,
    "races": [[1, 2], {"quick_pick": 3}],
}


def fast(kind: type[bodies.B], body: bytes) -> bodies.B | None:
    return bodies._read_right(kind, body)


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (SaleIn, SALE),
        (TerminalPaymentIn, PAYMENT),
        (TerminalPaymentIn, PAYMENT | {"payee": PAYEE, "second_session": "s"}),
        (PaymentIn, {**PAYMENT, "deposit": UUID}),
        (CodeIn, {"code": " spaces stay "}),
        (ActIn, {"number": 1000, "act": "òpen-2"}),
    ],
)
def test_a_right_body_is_read_at_once_and_as_the_shape_reads_it(
    kind: type[bodies.Body], document: dict[str, Any]
) -> None:
    body = json.dumps(document, ensure_ascii=False).encode()
    right = fast(kind, body)
    assert right is not None
    assert right == bodies.from_document(kind, parsing.loads(body)) == bodies.read(kind, body)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (CodeIn, b'{"code": "a", "code": "a"}'),
        (CodeIn, b'{"code": "a", "c\\u006fde": "b"}'),
        (ActIn, b'{"number": 1, "act": "a", "number": 1}'),
        (SaleIn, json.dumps(SALE).encode().replace(b'{"q', b'{"quick_pick": 2, "q')),
        (
            TerminalPaymentIn,
            b'{"payee": null, ' + json.dumps(PAYMENT | {"payee": None}).encode()[1:],
        ),
        (
            TerminalPaymentIn,
            json.dumps(PAYMENT | {"payee": PAYEE}).encode().replace(b'{"na', b'{"name":"b","na'),
        ),
    ],
)
def test_a_name_given_twice_is_refused(kind: type[bodies.Body], body: bytes) -> None:
    assert fast(kind, body) is None
    with pytest.raises(MalformedJson):
        bodies.read(kind, body)


@pytest.mark.parametrize(
    "body", [b'{"code": "\\u0000"}', b'{"code": "\\ud800"}', b'{"code": "\xed\xa0\x80"}', b"\xff"]
)
def test_text_that_no_database_can_store_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        bodies.read(CodeIn, body)


def test_what_the_shape_corrects_or_only_counting_doubts_takes_the_slow_way() -> None:
    for kind, document, name, value in (
        (ActIn, {"number": 1, "act": "  reveal "}, "act", "reveal"),
        (CodeIn, {"code": "a:b{"}, "code", "a:b{"),
        (CodeIn, {"code": 'a"b'}, "code", 'a"b'),
        (TerminalPaymentIn, PAYMENT | {"deposit": None}, "deposit", None),
    ):
        body = json.dumps(document).encode()
        assert fast(kind, body) is None
        assert getattr(bodies.read(kind, body), name) == value


@pytest.mark.parametrize(
    "changes",
    [
        {"uuid": UUID.replace("-", "")},
        {"uuid": f"{UUID}\n"},
        {"uuid": f"{{{UUID}}}"},
        {"code": ""},
        {"code": "a\n"},
        {"code": "x" * 97},
        {"second_session": ""},
        {"payee": PAYEE | {"document_kind": "visa"}},
        {"payee": PAYEE | {"name": " "}},
        {"payee": {}},
        {"intact": 1},
        {"amount_cents": 1.0},
    ],
)
def test_both_readers_refuse(changes: dict[str, Any]) -> None:
    document = PAYMENT | changes
    assert fast(TerminalPaymentIn, json.dumps(document).encode()) is None
    with pytest.raises(ValidationError):
        bodies.from_document(TerminalPaymentIn, document)


def test_a_body_shows_no_secret() -> None:
    assert "1ABC" not in repr(bodies.read(CodeIn, b'{"code": "1ABC"}'))


def test_one_thread_makes_the_decoder_that_others_wait_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two threads that decode a type of which msgspec does not know all yet crash the process."""

    class NewIn(bodies.Body, frozen=True):
        number: int

    make, making, second = msgspec.json.Decoder, threading.Event(), threading.Event()

    def slowly(kind: Any) -> Any:
        if making.is_set():
            second.set()
        making.set()
        second.wait(0.1)  # long enough for one that does not wait for the first
        return make(kind)

    monkeypatch.setattr(msgspec.json, "Decoder", slowly)
    read: list[NewIn] = []
    threads = [
        threading.Thread(target=lambda: read.append(bodies.read(NewIn, b'{"number": 3}')))
        for _ in range(2)
    ]
    threads[0].start()
    assert making.wait(10)
    threads[1].start()
    for thread in threads:
        thread.join()
    assert read == [NewIn(3), NewIn(3)]
    assert not second.is_set()
