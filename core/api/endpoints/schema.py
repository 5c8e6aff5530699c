"""Serve the OpenAPI document."""

from drf_spectacular.views import SpectacularAPIView


class SchemaDocument(SpectacularAPIView):
    """Answer `GET /api/v1/schema`: YAML, or JSON with `Accept:
    application/vnd.oai.openapi+json`.
    """
