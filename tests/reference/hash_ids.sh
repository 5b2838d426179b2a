#!/usr/bin/env bash
# Prints the lines of same_tokens.sha256 for a converted model, as tests/cmake/PublishedIds.cmake reads them:
#
#     tests/reference/hash_ids.sh PROGRAMS MODEL.ltm WEIGHTS COUNT...
#
# PROGRAMS is the folder of `latimer`. The ids are those of the first COUNT lines of examples/en-de/data/test.en; give
# the largest COUNT first.
set -euo pipefail
programs=$1 model=$2 weights=$3
shift 3
text=$(dirname "${BASH_SOURCE[0]}")/../../examples/en-de/data/test.en
ids=$(mktemp)
trap 'rm -f "$ids"' EXIT
head -n "$1" "$text" | "$programs/latimer" tokenize "$model" | "$programs/latimer" translate "$model" --ids >"$ids"
for count in "$@"; do
    echo "$(head -n "$count" "$ids" | sha256sum | cut -d ' ' -f 1)  $weights $count"
done
