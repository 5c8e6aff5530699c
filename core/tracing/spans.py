"""Send traces by OpenTelemetry: a span for each request, statement and task.

Nothing imports this module unless OTEL_EXPORTER_OTLP_ENDPOINT is set (docs/adr/0042). What the
standard variables of OpenTelemetry say, such as OTEL_TRACES_SAMPLER, holds.

A span has the route of a request and the text of a statement with its placeholders. It never has a
path, a query, a body, a parameter or the message of a fault: these name tickets and persons.
"""

import atexit
import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import structlog
from celery.signals import (
    before_task_publish,
    task_postrun,
    task_prerun,
    worker_process_init,
    worker_process_shutdown,
)
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from core.api.limits import PROBES
from core.api.metrics import METHODS
from core.database import statements

REQUEST_ID = "lototrot.request_id"
_UNMATCHED = "unmatched"
_LONGEST_STATEMENT = 4000
_VERB = re.compile(r"\s*(\w+)")
_TARGET = re.compile(r'\b(?:FROM|INTO|UPDATE|CALL|JOIN)\s+"?([a-z_][\w.]*)', re.IGNORECASE)
_FUNCTION = re.compile(r"\b([a-z_]\w*)\(")

_tracer = trace.get_tracer("lototrot")
_parent = TraceContextTextMapPropagator()


class Requests:
    """Middleware: a span for each request, with its route, its status and its id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path in PROBES:
            return self._get_response(request)
        method = request.method if request.method in METHODS else "_OTHER"
        with _span(str(method), SpanKind.SERVER) as span:
            ident = trace.format_trace_id(span.get_span_context().trace_id)
            with structlog.contextvars.bound_contextvars(trace_id=ident):
                response = self._get_response(request)
            match, status = request.resolver_match, response.status_code
            route = match.route if match else _UNMATCHED
            span.update_name(f"{method} {route}")
            span.set_attributes(
                {
                    "http.request.method": str(method),
                    "http.route": route,
                    "http.response.status_code": status,
                    REQUEST_ID: getattr(request, "request_id", ""),
                }
            )
            if status >= 400:
                span.set_attribute("error.type", getattr(request, "problem_code", str(status)))
            if status >= 500:
                span.set_status(StatusCode.ERROR)
        return response


def _span(name: str, kind: SpanKind, attributes: Mapping[str, Any] | None = None) -> Any:
    """Return a context with a span. Of an exception it records only the class."""
    return _tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False
    )


@lru_cache(maxsize=1024)
def summary(statement: str) -> str:
    """Return the verb of a statement and what it is about: `SELECT lototrot_sell`."""
    verb = _VERB.match(statement)
    target = _TARGET.search(statement) or _FUNCTION.search(statement)
    words = [verb.group(1).upper() if verb else "", target.group(1) if target else ""]
    return " ".join(filter(None, words)) or "statement"


def _stated(statement: object, run: Callable[[], Any]) -> Any:
    """Run a statement in a span; in none outside a request or a task whose trace is taken."""
    if not trace.get_current_span().is_recording():
        return run()
    text = statement if isinstance(statement, str) else type(statement).__name__
    name = summary(text)
    attributes = {
        "db.system.name": "postgresql",
        "db.query.summary": name,
        "db.query.text": text[:_LONGEST_STATEMENT],
    }
    with _tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            return run()
        except Exception as fault:
            state = getattr(fault.__cause__ or fault, "sqlstate", None)
            span.set_attribute("error.type", state or type(fault).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def _by_cursor(
    execute: Callable[..., Any], statement: Any, parameters: Any, many: bool, where: Any
) -> Any:
    """Run a statement of Django (`execute_wrappers`) in a span."""
    return _stated(statement, lambda: execute(statement, parameters, many, where))


def _prepared(once: statements.Once) -> statements.Once:
    """Run the statements of the hot paths, which pass Django's cursors by, in spans."""
    return lambda statement, parameters: _stated(statement, lambda: once(statement, parameters))


def _watch(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if _by_cursor not in connection.execute_wrappers:
        connection.execute_wrappers.append(_by_cursor)


def _follow_statements() -> None:
    statements.observe(_prepared)
    connection_created.connect(_watch)
    for connection in connections.all(initialized_only=True):
        _watch(connection)


def _follow_tasks() -> None:
    running: dict[str, tuple[Span, Any]] = {}

    @before_task_publish.connect(weak=False)  # type: ignore[untyped-decorator]
    def _sent(headers: dict[str, Any], **_: Any) -> None:
        _parent.inject(headers)

    @task_prerun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _begun(task_id: str, task: Any, **_: Any) -> None:
        # A worker has the headers of a message as attributes, a task done at once as headers.
        headers = task.request.headers or {}
        sent = getattr(task.request, "traceparent", None) or headers.get("traceparent")
        span = _tracer.start_span(
            f"task {task.name}",
            context=_parent.extract({"traceparent": sent} if sent else {}),
            kind=SpanKind.CONSUMER,
            attributes={"messaging.message.id": task_id, REQUEST_ID: task_id},
        )
        running[task_id] = span, context.attach(trace.set_span_in_context(span))

    @task_postrun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _ended(task_id: str, state: str | None = None, **_: Any) -> None:
        if task_id not in running:
            return
        span, token = running.pop(task_id)
        context.detach(token)
        if state == "FAILURE":
            span.set_status(StatusCode.ERROR)
        span.end()


class Sender(OTLPSpanExporter):
    """Send spans to the collector; do not delay the end of a process if the collector is away."""

    def __init__(self) -> None:
        super().__init__()
        self._is_away = self._ends = self._drops = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, and try again within OTEL_EXPORTER_OTLP_TIMEOUT."""
        if self._drops:
            return SpanExportResult.FAILURE
        result = super().export(spans)
        self._is_away = result is not SpanExportResult.SUCCESS
        if self._is_away and self._ends:
            self.shutdown()
        return result

    def shutdown(self) -> None:
        """Interrupt the running try, and drop all later spans."""
        if not self._drops:
            self._drops = True
            super().shutdown()  # type: ignore[no-untyped-call]

    def end(self, provider: TracerProvider) -> None:
        """Send the remaining spans as the process ends, or drop them if the last try failed."""
        if self._is_away:
            self.shutdown()
        if not self._ends:
            self._ends = True
            provider.shutdown()


def _provide() -> Callable[..., None]:
    """Start to send the spans of this process; return the function to call before its end."""
    about = {
        "service.name": os.environ.get("OTEL_SERVICE_NAME") or "lototrot",
        "service.version": settings.VERSION,
        "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
        "lototrot.process": settings.PROCESS,
    }
    provider, sender = (
        TracerProvider(resource=Resource.create(about), shutdown_on_exit=False),
        Sender(),
    )
    provider.add_span_processor(BatchSpanProcessor(sender))
    trace.set_tracer_provider(provider)
    return partial(sender.end, provider)


def start() -> None:
    """Take the traces of this process, and send them. A web process does so as it starts."""
    atexit.register(_start())


def _start() -> Callable[..., None]:
    end = _provide()
    _follow_statements()
    _follow_tasks()
    return end


def start_worker() -> None:
    """Start to send traces in each child of a worker: no thread that sends outlives a fork."""

    @worker_process_init.connect(weak=False)  # type: ignore[untyped-decorator]
    def _child(**_: Any) -> None:
        end = _start()

        @worker_process_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]
        def _ended(**_: Any) -> None:
            end()
