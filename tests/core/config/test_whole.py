"""What the server is handed: whole answers in one piece, streams as streams, both closed."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from core.config.whole import whole

CONTENT = [b"one", b"two"]


@pytest.mark.django_db  # closing an answer looks at the connections of its thread
@pytest.mark.parametrize("response", [HttpResponse(CONTENT), StreamingHttpResponse(CONTENT)])
def test_an_answer_is_given_as_it_is_made(response: HttpResponseBase) -> None:
    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return response

    given = whole(application)({}, None)
    if response.streaming:
        assert given is response and not response.closed
    else:
        assert given == [b"".join(CONTENT)] and response.closed
