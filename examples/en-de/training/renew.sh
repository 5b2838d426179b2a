#!/usr/bin/env bash
# Takes a newly trained model into examples/en-de, and makes what the tests know of it anew.
#
#     PYTHON=venv/bin/python examples/en-de/training/renew.sh build/demo/student/hf [build/host/bin]
#
# A model of another shape or vocabulary also needs the tokenizer's fixtures, which this writes. Tests of the bindings and of the server read their texts from tests/data/demo_texts.tsv; a new one needs a
# line there with its source. Left to do by hand: the number of ids, which some tests know, the hashes of logits in
# tests/system/same_logits_test.cc, sentences with tags in tests of HTML, what tests/pages/rules.py expects, tables of
# BLEU, docs/attention.svg, the pictures of tests/ui/pictures.py, and reading data/everyday.de.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
new=$1 programs=${2:-build/host/bin} python=${PYTHON:-python3}
demo=examples/en-de hashes=tests/data/same_tokens.sha256
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$demo/training/take_model.sh" "$new" "$demo"
"$python" tests/reference/tokenizer_fixture.py --demo

"$python" tests/reference/same_tokens.py --fixture "$demo/fixture.jsonl" | tee "$work/f32"
"$python" tests/reference/make_word_scores.py "$demo" tests/data/word_scores.jsonl
"$python" tests/reference/make_target_prefix.py "$demo" tests/data/target_prefix.jsonl

"$programs/latimer-convert" "$demo" -o "$work/int8.ltm" --weights int8 --quiet
{
    grep ' f32 [0-9]*$' "$work/f32"
    tests/reference/hash_ids.sh "$programs" "$work/int8.ltm" int8 1000 200 60 20 3
} > "$hashes"
"$programs/latimer" translate "$work/int8.ltm" < "$demo/data/everyday.en" > "$demo/data/everyday.de"

texts=tests/data/demo_texts.tsv
{
    head -n 1 "$texts"
    tail -n +2 "$texts" | tr '\t' '|' | while IFS='|' read -r source _ options; do
        # shellcheck disable=SC2086  # Options are several words, or none.
        translation=$("$programs/latimer" translate "$work/int8.ltm" $options --text "$source")
        printf '%s\t%s%s\n' "$source" "$translation" "${options:+$'\t'$options}"
    done
} > "$work/texts"
cp "$work/texts" "$texts"
git status --short "$demo" tests/data
