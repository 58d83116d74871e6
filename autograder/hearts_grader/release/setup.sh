#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is uploaded, as root and with a network.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update

python=""
for version in 3.13 3.12 3.11; do
  if apt-get install -y --no-install-recommends "python$version" "python$version-venv"; then
    python="python$version"
    break
  fi
done
if [ -z "$python" ]; then
  echo "no Python from 3.11 on in this base image: choose Ubuntu 22.04 or newer" >&2
  exit 1
fi

# bubblewrap adds namespaces to the course's own sandbox, if the container allows them.
apt-get install -y --no-install-recommends bubblewrap || true
"$python" -m venv /autograder/venv
cd /autograder/source/course
/autograder/venv/bin/pip install --quiet -c constraints.txt -e .
