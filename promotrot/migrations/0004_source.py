from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("promotrot", "0003_less")]

    operations = [
        migrations.RenameField("witnessentropy", "method", "source"),
        migrations.AlterField(
            "witnessentropy", "source", models.CharField(max_length=10, verbose_name="source")
        ),
    ]
