#!/usr/bin/env python3
"""Bills of materials are CycloneDX 1.5, by the schema of its own validator:
check_cyclonedx.py FILES..., with `pip install 'cyclonedx-python-lib[json-validation]'`.
Without it, 77: skipped."""

import pathlib
import sys

try:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
except ImportError:
    print("skipped: pip install 'cyclonedx-python-lib[json-validation]'")
    sys.exit(77)

validator = JsonStrictValidator(SchemaVersion.V1_5)
for name in sys.argv[1:]:
    if error := validator.validate_str(pathlib.Path(name).read_text("utf-8")):
        sys.exit(f"{name}: {error}")
