import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("lototrot", "0001_initial"), ("premises", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="ticket",
            name="code_commitment",
            field=models.BinaryField(default=b"", max_length=32),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="ticket",
            name="contest",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tickets",
                to="lototrot.contest",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(fields=["contest", "id"], name="ticket_of_contest"),
        ),
    ]
