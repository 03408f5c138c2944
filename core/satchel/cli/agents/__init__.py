"""Commands that install satchel into agent programs, and the commands that those run."""
