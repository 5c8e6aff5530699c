from lototrot.models import contest, programme, running, settlement, tickets

__all__ = ["contest", "programme", "running", "settlement", "tickets"]
