#!/bin/sh
# Written by `satchel install claude-code`, removed by `satchel uninstall claude-code`.
# Claude Code runs every command through this script. A command of the model goes through `satchel run`;
# where satchel can't start it, it runs as it is, like all else that Claude Code runs.
case $1 in
  *shell-snapshots/*) ;;
  *) exec bash -c "$1" ;;
esac
mark=$(mktemp 2>/dev/null) || exec bash -c "$1"
{satchel} run -- bash -c 'rm -f -- "$0"; eval "$1"' "$mark" "$1"
code=$?
[ -e "$mark" ] || exit "$code"
rm -f -- "$mark"
exec bash -c "$1"
