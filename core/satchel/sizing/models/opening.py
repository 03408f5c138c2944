"""Find the model that a person named: a file, a folder, Ollama's name, a server's address."""

from __future__ import annotations

from pathlib import Path

from satchel.sizing.models.gguf import SPLIT, Header, HeaderError, read_gguf
from satchel.sizing.models.huggingface import read_folder

OLLAMA = "ollama:"


def open_model(name: str) -> Header:
    """Return the header of the model called `name`; a server's address is not one."""
    if name.startswith(OLLAMA):
        from satchel.sizing.models.servers import read_ollama

        if not name.removeprefix(OLLAMA):
            raise HeaderError(name, "names no model of Ollama, write ollama:NAME")
        return read_ollama(name.removeprefix(OLLAMA))
    path = Path(name)
    try:
        if path.is_dir():
            return _in_folder(path)
        return read_gguf(path)
    except FileNotFoundError:
        raise HeaderError(
            name, "no such file; name a .gguf file, a folder, ollama:NAME or a server's address"
        ) from None
    except OSError as error:
        raise HeaderError(name, error.strerror or str(error)) from error
    except ValueError as error:
        raise HeaderError(name, f"is no usable path: {error}") from error


def _in_folder(folder: Path) -> Header:
    if (folder / "config.json").is_file():
        return read_folder(folder)
    files = sorted(folder.glob("*.gguf"))
    heads = [file for file in files if not SPLIT.match(file.name) or "-00001-of-" in file.name]
    models = [file for file in heads if not file.name.startswith("mmproj")]
    if len(models) == 1:
        return read_gguf(models[0])
    found = ", ".join(file.name for file in models[:5]) or "no model"
    raise HeaderError(
        str(folder), f"holds {found}; name one .gguf file, or a folder with config.json and safetensors"
    )
