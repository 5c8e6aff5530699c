from lototrot.models import contest, programme, running, sealing, settlement, tickets

__all__ = ["contest", "programme", "running", "sealing", "settlement", "tickets"]
