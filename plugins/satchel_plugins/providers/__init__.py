"""The built-in providers."""

from satchel_plugins.providers.files import Files

PROVIDERS: tuple[type, ...] = (Files,)
