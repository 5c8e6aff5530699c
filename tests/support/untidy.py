"""Lists of what does not keep a limit of `tests/test_tidy.py` yet. They may only shrink."""

# Modules of 60 lines or more without a test file of their name, by folder.
UNTESTED: dict[str, str] = {
    "core/admin_support": """
        acts administration columns contents documents forms own_second_factor readonly site
        unfold_texts
    """,
    "core/api": """
        authentication catalogue errors metrics middleware pagination papers parsing shapes views
    """,
    "core/config": "health secret",
    "core/database": "locks",
    "core/draws": "admin documents kinds manual models papers selectors",
    "core/journal": """
        acting admin binding export install journal_rules models rows selectors services verifying
        wire
    """,
    "core/journal/api": "journal",
    "core/journal/raceday": "chapters",
    "core/kernel": "errors sampling",
    "core/ledger": "books models selectors",
    "core/nights": "admin models nightly services",
    "core/proofs": "keys models",
    "core/reports": "admin charts money outputs parts rows sales tables",
    "core/reports/api": "reports",
    "core/screens": "live middleware panels terminal texts",
    "core/screens/management/commands": "live",
    "core/staff": "accounts admin models",
    "core/statements": """
        admin balances columns commission guarantee models nightly papers selectors services weeks
    """,
    "core/statements/api": "statements",
    "core/tools/embedded": "keeper server",
    "core/tools/raceday": "people",
    "core/tools/raceday/management/commands": "raceday",
    "lototrot": "administration day_parts journal_rules nightly reports screens whatif",
    "lototrot/admin": "contests programme rules running running_forms settling tickets",
    "lototrot/api": "certificates contests course_shapes programmes proofs rules samples urls",
    "lototrot/engine": "programme_csv programme_fields programme_json",
    "lototrot/management/commands": "import_programme",
    "lototrot/models": "contest programme running sealing settlement tickets",
    "lototrot/raceday": "drawing meeting nights paying selling story",
    "lototrot/selectors": "alive board cards draws live_sales races selling settlements totals",
    "lototrot/services/contest": "facts",
    "lototrot/services/prizes": "lapsing payables",
    "lototrot/services/races": "course",
    "lototrot/services/seal": "leaves proving",
    "lototrot/services/settlement": "auditing certificate certificate_paper",
    "lototrot/services/tickets": "presented",
    "promotrot": "accounts day_parts journal_rules rebuild reports screens",
    "promotrot/admin": "games plays",
    "promotrot/api": "desk emissions games play public samples vouchers",
    "promotrot/engine": "game_json presentation strategies",
    "promotrot/models": "emission game play voucher",
    "promotrot/raceday": "players story",
    "promotrot/selectors": "closing public",
    "promotrot/services": """
        closing dealing facts outcomes payables playing poster publications selling voucher_paper
        vouchers
    """,
}

# Modules with a docstring that begins with "What" or "How", by folder.
WHAT_OR_HOW: dict[str, str] = {
    "core/nights": "jobs metrics models selectors services",
    "core/nights/api": "nights",
    "core/statements": """
        balances commission guarantee journal_rules models selectors services tasks weeks
    """,
    "lototrot": "accounts day_parts journal_rules metrics movements reports",
    "lototrot/models": "contest running",
    "lototrot/raceday": "selling",
    "lototrot/selectors": "alive board draws races selling settlements",
    "lototrot/services/contest": "closing contests facts",
    "lototrot/services/prizes": "payables",
    "lototrot/services/programme": "poster",
    "lototrot/services/races": "classification course drawing results",
    "lototrot/services/seal": "sealing",
    "lototrot/services/settlement": "auditing certificate_paper checking counting",
    "lototrot/services/tickets": "printing selling slips",
    "promotrot": "accounts journal_rules metrics movements rebuild reports whatif",
    "promotrot/admin": "games",
    "promotrot/api": "counter desk",
    "promotrot/engine": "game_json",
    "promotrot/models": "emission play voucher",
    "promotrot/selectors": "board closing counter emissions owed public",
    "promotrot/services": """
        dealing facts games playing poster publications receipt selling voucher_paper
    """,
    "tests": "conftest",
    "tests/browser": "conftest test_board_tour test_race_day_tour",
    "tests/concurrency": "sale_in_flight test_sealing test_selling test_settlement",
    "tests/core/api": "test_every_operation",
    "tests/core/screens": "test_live_server",
    "tests/core/tools/whatif": "test_answers",
    "tests/lototrot": "test_lototrot_metrics",
    "tests/lototrot/api": "test_desk test_walk",
    "tests/lototrot/services/prizes": "test_carry_over",
    "tests/lototrot/services/races": "test_classification test_drawing_tampered test_results",
    "tests/lototrot/services/tickets": "test_lookup test_printing test_slips",
    "tests/promotrot": "test_dump test_promotrot_metrics test_promotrot_tasks",
    "tests/promotrot/api": "test_counter",
    "tests/promotrot/engine": "test_reveal",
    "tests/promotrot/services": "test_figures",
    "tests/support": "admin_desk api factories journaling rounds urn",
    "tests/support/browser": "driver",
    "tests/support/concurrency": "sales",
    "tests/support/season": "auditor world",
    "tests/support/tampering": "day matrix verifiers",
    "tests/support/verifying": "forging",
}

# Files of more than 400 lines.
TOO_LONG: set[str] = {
    "lototrot/day_parts.py",
    "tests/lototrot/admin/test_admin_race_day.py",
    "tests/lototrot/api/test_preparing.py",
    "tests/lototrot/api/test_sale.py",
    "tests/lototrot/services/contest/test_contests.py",
    "tests/lototrot/services/races/test_classification.py",
    "tests/lototrot/services/races/test_starts.py",
    "tests/lototrot/services/settlement/test_breach.py",
    "tests/lototrot/services/settlement/test_settling.py",
    "tests/lototrot/services/tickets/test_selling.py",
    "tests/support/season/world.py",
}
