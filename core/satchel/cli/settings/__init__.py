"""Commands about satchel itself: settings, plugins, trust, and the shell."""
