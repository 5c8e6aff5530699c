"""Serve the public log to everyone. Caches may keep every response, and an entry for ever."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api import pagination
from core.api.papers import FOR_EVER_S, SHORTLY_S, LanguageQuery, PaperView, cached, language_of
from core.api.schema import operation
from core.api.shapes import Choice, Day, Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import ApiView
from core.kernel.days import DayOutOfRange
from core.proofs import selectors
from core.proofs.head import Finding, HeadMalformed, head_compare
from core.proofs.models import SigningKey
from core.proofs.record import record_render
from core.receipts import made
from core.receipts.output import Output

_LAST = b'"next":null}'


class EntryOut(Shape):
    """A signed entry, as docs/proofs/log.md describes it."""

    format = serializers.CharField()
    sequence = Whole()
    previous = serializers.CharField(help_text="Digest of the entry before.")
    at = serializers.CharField()
    kind = serializers.CharField()
    subject = serializers.CharField()
    document = serializers.DictField()
    key = serializers.CharField()
    signature = serializers.CharField()


class LogQuery(PageQuery):
    kind = Text(max_length=60, default="", help_text="Such as lototrot.seal.")
    subject = Text(max_length=120, default="", help_text="Such as contest:12.")


class KeyOut(Shape):
    key = serializers.CharField(source="key_id")
    public_key = serializers.SerializerMethodField()
    first_sequence = Whole(help_text="The entry that made it known.")
    valid_from = Instant()
    until_sequence = Whole(allow_null=True, help_text="The entry that put another in its place.")
    valid_until = Instant(allow_null=True)
    in_force = Flag()
    ended_by = Choice(("", *SigningKey.Ended.values))

    def get_public_key(self, key: SigningKey) -> str:
        return bytes(key.public_key).hex()


class KeysOut(Shape):
    items = KeyOut(many=True)


class Entries(ApiView):
    @operation(
        "The public log, oldest entry first",
        "Reading on from the last cursor gives what has been added since.",
        answer=EntryOut,
        paged=True,
        query=LogQuery,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(LogQuery)
        content = made.public_contents.get(
            *("log", selectors.head_digest(), *sorted(query.items())),
            make=lambda: self._page(query).content,
        )
        page = HttpResponse(content, content_type="application/json")
        is_full = not content.endswith(_LAST)
        return cached(request, page, max_age_s=FOR_EVER_S if is_full else SHORTLY_S)

    def _page(self, query: dict[str, Any]) -> HttpResponse:
        entries = selectors.entries(kind=query["kind"], subject=query["subject"])
        rows, cursor = pagination.page_of_rows(entries, query, key="sequence")
        return self.page(EntryOut, [row.published() for row in rows], cursor)


class OneEntry(ApiView):
    @operation("An entry of the public log", answer=EntryOut, problems=(selectors.EntryUnknown,))
    def get(self, request: Request, sequence: int) -> HttpResponse:
        response = self.answer(EntryOut, selectors.entry_get(sequence).published())
        return cached(request, response, max_age_s=FOR_EVER_S)


class Head(ApiView):
    @operation("The newest entry", answer=EntryOut, problems=(selectors.EntryUnknown,))
    def get(self, request: Request) -> HttpResponse:
        response = self.answer(EntryOut, selectors.newest_entry().published())
        return cached(request, response, max_age_s=SHORTLY_S)


class ComparisonQuery(Shape):
    printed = Text(max_length=120, help_text="The line of a slip, such as 12 · 0123abcd 4567ef89.")


class ComparisonOut(Shape):
    finding = Choice(
        [finding.value for finding in Finding],
        help_text="contained: the log has the entry as printed and goes on from it. missing,"
        " different, broken: the log shown is not the one that the slip was printed from.",
    )
    sequence = Whole(help_text="The printed entry.")
    head = serializers.CharField(help_text="Of the log as it is shown now.")


class Comparison(ApiView):
    units = 10

    @operation(
        "Compare the line of the public log on a slip with the log as it is shown now",
        "A person who does not trust the answer compares the log itself: verify/public_log.py.",
        answer=ComparisonOut,
        query=ComparisonQuery,
        problems=(HeadMalformed,),
    )
    def get(self, request: Request) -> HttpResponse:
        compared = head_compare(self.query(ComparisonQuery)["printed"])
        response = self.answer(ComparisonOut, compared)
        response["Cache-Control"] = "no-store"
        return response


class Keys(ApiView):
    @operation("The keys that have signed the public log", answer=KeysOut)
    def get(self, request: Request) -> HttpResponse:
        response = self.answer(KeysOut, {"items": selectors.signing_keys()})
        return cached(request, response, max_age_s=SHORTLY_S)


class RecordQuery(LanguageQuery):
    day = Day(help_text="A natural day of Europe/Madrid.")


class Record(PaperView):
    @operation(
        "The day's record of what was published, to be printed and kept",
        query=RecordQuery,
        problems=(DayOutOfRange,),
    )
    def get(self, request: Request, form: str) -> HttpResponse:
        query = self.query(RecordQuery)
        content = record_render(day=query["day"], output=Output(form), language=language_of(query))
        return self.published(content, form)
