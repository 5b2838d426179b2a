#!/usr/bin/env bash
# Takes a newly trained model into examples/en-de-tiny, makes the hashes of its ids anew, and prints what it can do.
#
#     PYTHON=venv/bin/python examples/en-de-tiny/renew.sh build/tiny/model/hf [build/host/bin]
#
# Left to do by hand: reading everyday.de, and the figures of README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
new=$1 programs=${2:-build/host/bin} python=${PYTHON:-python3}
example=examples/en-de-tiny text=examples/en-de/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
examples/en-de/training/take_model.sh "$new" "$example"

# What the board file says of this example.
board=stm32h743
read -ra options <<<"$(tr '\n' ' ' <targets/boards/$board.cmake | sed 's/.*EXAMPLE en-de-tiny *\(.*\) QEMU .*/\1/')"
"$programs/latimer-convert" "$example" -o "$work/$board.ltm" "${options[@]}" --board $board \
    --bill
"$programs/latimer-convert" "$example" -o "$work/pc.ltm" "${options[@]}" --quiet

"$python" tests/reference/same_tokens.py --model "$example" --lines 200 --fixture "$example/fixture.jsonl" | tee "$work/f32"
{
    grep ' f32 [0-9]*$' "$work/f32"
    tests/reference/hash_ids.sh "$programs" "$work/pc.ltm" int6 200 60 20 3
} >"$example/same_tokens.sha256"
"$programs/latimer" translate "$work/pc.ltm" <"$text/everyday.en" >"$example/everyday.de"
"$programs/latimer" translate "$work/pc.ltm" <"$text/test.en" >"$work/test.de"
"$python" -m sacrebleu "$text/test.de" -i "$work/test.de" -m bleu chrf -b -w 1
git status --short "$example"
