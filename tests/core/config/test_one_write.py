"""Check that finished responses are sent in one write, and streams as streams; both are closed."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from core.config.one_write import in_one_write

CONTENT = [b"one", b"two"]


@pytest.mark.django_db  # closing a response closes old connections of its thread
@pytest.mark.parametrize("response", [HttpResponse(CONTENT), StreamingHttpResponse(CONTENT)])
def test_an_answer_is_given_as_it_is_made(response: HttpResponseBase) -> None:
    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return response

    answer = in_one_write(application)({}, None)
    if response.streaming:
        assert answer is response and not response.closed
    else:
        assert answer == [b"".join(CONTENT)] and response.closed
