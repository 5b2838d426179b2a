#!/usr/bin/env bash
# Copies the files of a model in Hugging Face's Marian format: take_model.sh FROM TO. They may be the same folder.
set -euo pipefail
[ ! "$1" -ef "$2" ] || exit 0
for file in config.json generation_config.json model.safetensors source.spm target.spm tokenizer_config.json vocab.json
do
    cp "$1/$file" "$2/"
    chmod 644 "$2/$file"
done
