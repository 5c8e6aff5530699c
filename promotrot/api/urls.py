"""Resources of Promotrot, under /api/v1/promotrot/."""

from promotrot.api import play_urls

urlpatterns = [*play_urls.urlpatterns]
