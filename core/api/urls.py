"""Map the addresses under /api/v1/ of the API itself."""

from django.urls import path

from core.api.endpoints import problems, schema

urlpatterns = [
    path("problems", problems.Problems.as_view()),
    path("problems/<str:code>", problems.OneProblem.as_view()),
    path("schema", schema.SchemaDocument.as_view()),
]
