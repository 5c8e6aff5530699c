"""The clock, and the functions behind every guard trigger."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

CLOCK = """
CREATE FUNCTION core_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$
    SELECT clock_timestamp()
         + coalesce((SELECT "offset" FROM database_clockoffset ORDER BY id DESC LIMIT 1), interval '0')
$$;
"""

GUARDS = """
CREATE FUNCTION guard_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION guard_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) - TG_ARGV[0:] IS DISTINCT FROM to_jsonb(NEW) - TG_ARGV[0:] THEN
        RAISE EXCEPTION 'table %: only % may change', TG_TABLE_NAME, array_to_string(TG_ARGV, ', ')
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION guard_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> NEW.state
       AND NOT coalesce(TG_ARGV[0]::jsonb -> OLD.state ? NEW.state, false) THEN
        RAISE EXCEPTION 'table %: state % cannot become %', TG_TABLE_NAME, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="ClockOffset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("offset", models.DurationField()),
                ("set_at", models.DateTimeField(db_default=Now())),
                ("reason", models.CharField(max_length=200)),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=~Q(reason=""), name="clock_offset_has_reason"
                    )
                ],
            },
        ),
        migrations.RunSQL(CLOCK, "DROP FUNCTION core_now()"),
        migrations.RunSQL(
            GUARDS,
            "DROP FUNCTION guard_refuse(); DROP FUNCTION guard_columns();"
            " DROP FUNCTION guard_state()",
        ),
    ]
