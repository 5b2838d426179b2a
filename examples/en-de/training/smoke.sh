#!/usr/bin/env bash
# Shows in minutes, on one core, that every step works: a tiny model learns, goes on, teaches, is scored and converted.
#   PYTHON=venv/bin/python training/smoke.sh WORK [FOLDER OF latimer-convert]
set -euo pipefail
work=$(realpath -m "$1") python=$(realpath -s "$(command -v "${PYTHON:-python3}")")
root=$(realpath "$(dirname "$0")/../../..")
latimer=$(realpath -m "${2:-$root/build/host/bin}")
cd "$root/examples/en-de/training"
export OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
rm -rf "$work" && mkdir -p "$work"

"$python" prep.py "$work" --limit 5000 --vocabulary 2000
options="--shape tiny --tokens 500 --warmup 50 --lr 3e-3 --average 0.98 --total-steps 300 --report 1"
"$python" train.py "$work" --out "$work/whole" $options >"$work/whole.log"
grep -E '^step (1|100|200|300) |dev loss' "$work/whole.log"

"$python" train.py "$work" --out "$work/parts" $options --stop-step 30 >"$work/part1.log"
"$python" train.py "$work" --out "$work/parts" $options --stop-step 40 >"$work/part2.log"
losses() { grep -hE '^step (3[1-9]|40) ' "$1" | cut -d' ' -f1-6; }
diff <(losses "$work/whole.log") <(losses "$work/part2.log")
echo "The losses of steps 31 to 40 are the same after a stop at 30."

"$python" distil.py "$work" "$work/whole/hf" --chunk 200 --minutes 0.1 --beams 2
"$python" distil.py "$work" "$work/whole/hf" --chunk 100 --minutes 0.1 --beams 1 --share 1 2
diff <(sed -n '2p;4p' "$work/distil.tsv" | cut -f 1) <(sed -n '1p;2p' "$work/distil-1.tsv" | cut -f 1)
test -s "$work/distil-1.tsv"
"$python" train.py "$work" --out "$work/student" --init "$work/whole/hf" --data tatoeba distil $options \
  --stop-step 5 | tail -1
"$python" grow.py "$work" "$work/whole/hf" "$work/grown" --shape tiny
"$python" train.py "$work" --out "$work/larger" --init "$work/grown" $options --stop-step 5 | tail -1
"$python" evaluate.py "$work/whole/hf" --lines 40 >"$work/scores"
head -8 "$work/scores"
head -20 ../data/everyday.en >"$work/text.en"
"$python" ../../../tests/reference/verify_model.py "$work/whole/hf" --text "$work/text.en" --latimer "$latimer"
