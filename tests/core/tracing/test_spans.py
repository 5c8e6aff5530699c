"""Tests that a collector receives the traces of sales and tasks; without one nothing is loaded."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from core.tools.embedded.server import ROOT
from core.tracing.spans import REQUEST_ID, Sender, summary
from tests.support.databases import Database
from tests.support.processes.listening import listening

REQUEST, SENT = "terminal-7-000042", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OFF = """
import sys
import core.config.wsgi
print([name for name in sys.modules if "telemetry" in name or name.startswith("core.tracing")])
"""
# A process that serves, as one of granian's: it sells, refuses, and does a task that was sent.
SELLS = f"""
import json
import core.config.wsgi as web
from core.config.tasks import sweep
from core.premises.requests import new_uuid
from tests.support import factories
from tests.support.api import terminal_api
contest, place = factories.contest(), factories.point()
factories.acknowledge(contest, place)
api = terminal_api(place)
ident = str(new_uuid())
body = {{
    "uuid": ident, "contest": contest.pk, "races": [[1]] * 7,
    "price_cents": contest.price_cents, "amount_cents": contest.price_cents,
}}
sold = api.post("lototrot/tickets", body, **{{"X-Request-Id": "{REQUEST}"}})
api.post("lototrot/tickets", body | {{"uuid": "x"}})
api._client.get("/readyz")
sweep.apply(headers={{"traceparent": "{SENT}"}})
print(json.dumps([sold.status_code, sold.json().get("code"), ident]))
"""


@dataclass
class Collector:
    """The spans that a collector was sent, and what is said of their processes."""

    spans: list[Any] = field(default_factory=list)
    about: list[dict[str, Any]] = field(default_factory=list)

    def named(self, name: str) -> Any:
        (the_span,) = [span for span in self.spans if span.name == name]
        return the_span

    def inside(self, parent: Any) -> list[Any]:
        return [span for span in self.spans if span.parent_span_id == parent.span_id]


def attributes(span: Any) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes
    }


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    """Receive traces as a collector does, at an address."""
    collector = Collector()

    class Receiving(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            message = ExportTraceServiceRequest.FromString(self.rfile.read(length))
            for each in message.resource_spans:
                collector.about.append(attributes(each.resource))
                collector.spans += [span for scope in each.scope_spans for span in scope.spans]
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.end_headers()

    with listening(Receiving) as address:
        yield collector, address


def ran(script: str, database: Database, **more: str) -> str:
    environment = (
        os.environ
        | database.environment
        | {"PROCESS": "console", "ALLOWED_HOSTS": "testserver"}
        | more
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_without_a_collector_nothing_of_it_is_loaded(own_database: Database) -> None:
    assert ran(OFF, own_database) == "[]"


def test_a_collector_receives_a_sale_with_its_statements_and_a_task(
    own_database: Database,
) -> None:
    with collecting() as (collector, address):
        output = ran(SELLS, own_database, OTEL_EXPORTER_OTLP_ENDPOINT=address)
    status, code, ident = json.loads(output)
    assert status == 201
    assert collector.about[0]["service.name"] == "lototrot"
    assert collector.about[0]["lototrot.process"] == "console"

    sales = [span for span in collector.spans if span.name == "POST api/v1/lototrot/tickets"]
    sale, wrong = sorted(sales, key=lambda span: span.start_time_unix_nano)
    assert attributes(sale)[REQUEST_ID] == REQUEST
    assert attributes(sale)["http.response.status_code"] == 201
    assert attributes(wrong)["error.type"] == "fields_invalid"
    (sold,) = [span for span in collector.inside(sale) if span.name == "SELECT lototrot_sell"]
    assert sold.trace_id == sale.trace_id
    assert attributes(sold)["db.query.text"].startswith("SELECT * FROM lototrot_sell(p_")
    assert sale.start_time_unix_nano < sold.start_time_unix_nano
    assert sold.end_time_unix_nano < sale.end_time_unix_nano

    task = collector.named("task core.config.tasks.sweep")
    assert task.trace_id.hex() == SENT.split("-")[1]
    assert collector.inside(task)
    assert not [span for span in collector.spans if "readyz" in span.name]
    everything = str(collector.spans)
    assert code not in everything
    assert ident not in everything


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("SELECT * FROM lototrot_sell(p_uuid => %s)", "SELECT lototrot_sell"),
        ("CALL lototrot_sell_each(%s)", "CALL lototrot_sell_each"),
        ('UPDATE "staff_user" SET "x" = %s', "UPDATE staff_user"),
        ('INSERT INTO "staff_proposal" ("a") VALUES (%s)', "INSERT staff_proposal"),
        ("SELECT core_now(), (SELECT 1)", "SELECT core_now"),
        ("  SHOW transaction_read_only", "SHOW"),
        ("", "statement"),
    ],
)
def test_a_statement_is_named_by_its_verb_and_its_object(statement: str, named: str) -> None:
    assert summary(statement) == named


def test_a_collector_that_is_away_keeps_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a first version each of four batches was tried for ten seconds as a process ended."""
    tried: list[int] = []

    def refuse(sender: Sender, spans: list[Any]) -> SpanExportResult:
        if sender._ends:
            tried.append(len(spans))
        return SpanExportResult.FAILURE

    monkeypatch.setattr(OTLPSpanExporter, "export", refuse)
    for failed_before in (False, True):
        sender, provider = Sender(), TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(sender, max_export_batch_size=100))
        if failed_before:
            sender.export([])
        for _ in range(1000):
            provider.get_tracer("test").start_span("one").end()
        sender.end(provider)
        sender.end(provider)
        assert len(tried) <= (0 if failed_before else 1)
        tried.clear()


@pytest.mark.parametrize("address", ["collector:4318", "file:///spans"])
def test_an_address_that_is_none_is_refused(own_database: Database, address: str) -> None:
    with pytest.raises(AssertionError, match="OTEL_EXPORTER_OTLP_ENDPOINT must be an http"):
        ran("import core.config.settings", own_database, OTEL_EXPORTER_OTLP_ENDPOINT=address)
