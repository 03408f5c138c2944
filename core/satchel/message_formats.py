"""The installed formats of messages and session files: found by the host, set up by the configuration."""

from __future__ import annotations

import os

from satchel import config as configuration
from satchel.config import Config
from satchel.conversation import Formats
from satchel.conversation.transcripts import Transcript, parse_transcript
from satchel.host import Host, PluginKind
from satchel.installed import find_plugins, make_plugins
from satchel.interfaces import SessionFile


def find_formats(host: Host, config: Config | None = None) -> Formats:
    """Return the formats of a host's plugins; one that can't be made is among the host's problems.

    Raises:
        ConfigError: the settings of one are wrong.
    """
    settings = config or Config()
    formats = [made for _, made in make_plugins(settings, host, PluginKind.MESSAGE_FORMAT)]

    def make_session_files() -> list[SessionFile]:
        return [made for _, made in make_plugins(settings, host, PluginKind.SESSION_FILE)]

    return Formats(formats, settings.message_format, make_session_files)


def find_user_formats() -> Formats:
    """Return the installed formats, with the settings of the person's configuration."""
    config = configuration.load(None, env=os.environ)
    return find_formats(find_plugins(config), config)


def read_transcript(
    data: bytes | str,
    *,
    name: str = "the session file",
    host: Host | None = None,
    config: Config | None = None,
) -> Transcript:
    """Read the session file of an agent, JSON Lines or JSON; nothing is redacted.

    Args:
        data: what the file holds.
        name: what errors call it.
        host: the plugins, which know the agents; all installed ones by default.
        config: their settings.

    Raises:
        ConversationError: it is not JSON, no agent's that is known, or none of its records is a message.
    """
    return parse_transcript(data, find_formats(host or find_plugins(config or Config()), config), name)
