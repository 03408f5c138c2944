"""Tell the names of local models from those of providers, without what sizes them."""

from __future__ import annotations

from pathlib import Path

LOCAL_ENDINGS = (".gguf",)
OLLAMA = "ollama:"


def is_local(model: str) -> bool:
    """Tell whether a model's name is that of a file, of a folder by its path, or of one that Ollama has."""
    if model.startswith(OLLAMA) or model.lower().endswith(LOCAL_ENDINGS):
        return True
    # A provider's model is named with a slash too, like openai/gpt-5: a folder must be there.
    return Path(model).name != model and Path(model).is_dir()
