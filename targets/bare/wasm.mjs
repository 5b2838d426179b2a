// Runs a program of targets/bare in Node: node wasm.mjs PROGRAM.wasm
import { readSync, readFileSync, writeSync } from "node:fs";

const input = Buffer.alloc(65536);
let begin = 0;
let end = 0;
const output = Buffer.alloc(65536);
let written = 0;

function flush() {
  for (let at = 0; at < written;) at += writeSync(1, output, at, written - at);
  written = 0;
}

class Ended extends Error {}

const machine = {
  read_byte() {
    if (begin === end) {
      flush();
      begin = 0;
      end = readSync(0, input, 0, input.length, null);
      if (end === 0) return 4;  // machine::kEndOfInput
    }
    return input[begin++];
  },
  write_byte(byte) {
    output[written++] = byte;
    if (written === output.length) flush();
  },
  milliseconds: () => performance.now(),
  end(code) {
    flush();
    process.exitCode = code;
    throw new Ended();
  },
};

const file = readFileSync(process.argv[2]);
const { instance } = await WebAssembly.instantiate(file, { machine });
try {
  process.exitCode = instance.exports.main();
} catch (error) {
  if (!(error instanceof Ended)) throw error;
}
flush();
