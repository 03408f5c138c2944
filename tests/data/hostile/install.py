"""Install every hostile plugin into a folder, as pip would: `python install.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent


def install(folder: Path) -> list[str]:
    """Copy the modules and write their metadata; return the names of the entry points."""
    traps = sorted(path.stem.removeprefix("hostile_") for path in HERE.glob("hostile_*.py"))
    for trap in traps:
        module = f"hostile_{trap}"
        (folder / f"{module}.py").write_text((HERE / f"{module}.py").read_text())
        metadata = folder / f"{module}-1.0.dist-info"
        metadata.mkdir()
        distribution = module.replace("_", "-")
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[satchel]\n{trap} = {module}\n")
    return traps


if __name__ == "__main__":
    print("\n".join(install(Path(sys.argv[1]))))
