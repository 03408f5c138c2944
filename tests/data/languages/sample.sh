#!/bin/bash
# A script.
set -euo pipefail

source ./lib.sh

LIMIT=3
export NAME=x
alias ll='ls -l'

# Greets.
greet() {
  local name=$1
  cat <<EOF
fake() {
EOF
  echo "hello $name"
}

function build {
  nested() { true; }
  if true; then
    greet x
  fi
}

function clean() (
  rm -rf out
)

one_line() { echo 1; }

greet you
