"""The tools that a project needs: their names, wanted versions and installed versions."""
