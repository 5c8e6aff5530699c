"""Write logs as one JSON object per line on standard error, for our code and for libraries.

Logs must never contain bodies, ticket and voucher codes, tokens, PINs or passwords. Callers do not
pass them; this module masks those that the text of an exception contains.
"""

import json
import logging
import logging.config
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import msgspec
import structlog
from django.conf import settings
from structlog.typing import Processor

Event = MutableMapping[str, Any]


# Four groups of four or more with a digit; twelve characters or more with a digit and a capital;
# twenty lower-case ones with a digit. Names of tables and functions are left readable.
_SECRET = re.compile(
    r"\b(?=(?:[A-Za-z]{4}[- ])*[A-Za-z]{0,3}\d)(?:[0-9A-Za-z]{4}[- ]){3,}[0-9A-Za-z]{4}\b"
    r"|\b(?=[a-z]*\d)[0-9a-z]{20,}\b"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{12,}"
)
_MASK = "[masked]"


def mask(text: str) -> str:
    """Return `text` with everything masked that looks like a code or a token."""
    return _SECRET.sub(_MASK, text)


def _describe_exception(_logger: Any, _method: str, event: Event) -> Event:
    """Replace `exc_info` by its class, masked text and places in the code, without variables'
    values.
    """
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        frames = []
        trace = error.__traceback__
        while trace:
            code = trace.tb_frame.f_code
            frames.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_qualname}")
            trace = trace.tb_next
        event["exception"] = f"{type(error).__module__}.{type(error).__qualname__}"
        event["message"] = mask(str(error))
        event["trace"] = frames[-20:]
        cause = error.__cause__
        if cause is not None:
            event["cause"] = f"{type(cause).__qualname__}: {mask(str(cause))}"
    return event


def _mask_event(_logger: Any, _method: str, event: Event) -> Event:
    """Mask the text of libraries' records: their authors do not know what is secret here."""
    event["event"] = mask(str(event["event"]))
    return event


def _only_faults(record: logging.LogRecord) -> bool:
    """Keep Django's faults only. It reports every refusal with its path; RequestLog reports them
    without.
    """
    return record.levelno >= logging.ERROR and bool(record.exc_info)


def _as_json(event: Event, **_: Any) -> str:
    """Return an event as JSON. What has no form in JSON is written as Python shows it."""
    try:
        return msgspec.json.encode(event, enc_hook=_as_text).decode()
    except (TypeError, ValueError, OverflowError):
        return json.dumps(event, ensure_ascii=False, default=repr)


def _as_text(value: object) -> str:
    return str.__str__(value) if isinstance(value, str) else repr(value)


_stamp: Final = structlog.processors.TimeStamper(fmt="iso", utc=True)
_lines: structlog.WriteLogger | None = None
"""Writes the lines of `info`; None before `configure`, and if LOG_LEVEL leaves them out."""


def info(event: str, fields: dict[str, Any]) -> None:
    """Write the line that `structlog.get_logger().info(event, **fields)` would, by fewer steps.

    It is for the line of every request. `fields` has no exception, and is changed.
    """
    if _lines is not None:
        fields["event"] = event
        structlog.contextvars.merge_contextvars(None, "info", fields)
        fields["level"] = "info"
        _lines.msg(_as_json(_stamp(None, "info", fields)))


def configure() -> None:
    """Set up logging for this process. Calling it again changes nothing."""
    global _lines  # noqa: PLW0603  (one stream for the process)
    ours: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _stamp,
        _describe_exception,
    ]
    render = structlog.processors.JSONRenderer(_as_json)
    level = logging.getLevelNamesMapping()[settings.LOG_LEVEL]
    _lines = structlog.WriteLogger(sys.stderr) if level <= logging.INFO else None
    structlog.configure(
        processors=[*ours, render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    foreign: list[Processor] = [*ours, structlog.stdlib.add_logger_name, _mask_event]
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"only_faults": {"()": lambda: _only_faults}},
            "formatters": {
                "json": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": foreign,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        render,
                    ],
                }
            },
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "stream": sys.stderr,
                    "formatter": "json",
                }
            },
            "root": {"handlers": ["stderr"], "level": settings.LOG_LEVEL},
            "loggers": {"django.request": {"filters": ["only_faults"]}},
        }
    )
