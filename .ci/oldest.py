"""Print the oldest versions that a pyproject.toml declares, as constraints for pip: `oldest.py pyproject.toml`."""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]
oldest: dict[str, str] = {}
for needs in (project["dependencies"], *project["optional-dependencies"].values()):
    for name, version in re.findall(r"^([\w.-]+)(?:\[.*\])?>=([\d.]+)(?:;.*)?$", "\n".join(needs), re.MULTILINE):
        # two extras may need a package: one version serves both
        oldest[name] = max(version, oldest.get(name, "0"), key=lambda text: [int(part) for part in text.split(".")])
for name, version in sorted(oldest.items()):
    print(f"{name}=={version}")
