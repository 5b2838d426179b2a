#!/bin/bash -eu
# Runs in the root of Latimer's tree, in the environment of OSS-Fuzz: CC, CXX,
# CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, and OUT, which gets the targets, what
# they read, and their first inputs.
build=${WORK:-$PWD/build}/latimer
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_FLAGS_RELWITHDEBINFO= -DCMAKE_CXX_FLAGS_RELWITHDEBINFO= \
  -DLATIMER_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DLATIMER_SERVER=ON -DLATIMER_SHARED=OFF -DLATIMER_JAVA=OFF \
  -DLATIMER_PYTHON=OFF
ninja -C "$build" fuzz
cp "$build"/bin/fuzz/*_fuzz "$OUT"

mkdir -p "$OUT/source/tests" "$OUT/source/examples"
cp -r tests/data "$OUT/source/tests"
cp -r examples/en-de "$OUT/source/examples"

seeds=$(mktemp -d)
tests/fuzz/make_seeds "$seeds"
for corpus in tests/fuzz/corpus/*; do
  name=${corpus##*/}
  mkdir -p "$seeds/$name"
  cp -r "$corpus"/. "$seeds/$name"
  (cd "$seeds/$name" && zip -qr "$OUT/${name}_fuzz_seed_corpus.zip" .)
  printf '[libfuzzer]\nmax_len = 65536\ntimeout = 10\nrss_limit_mb = 2048\n' \
    > "$OUT/${name}_fuzz.options"
done
rm -r "$seeds"
