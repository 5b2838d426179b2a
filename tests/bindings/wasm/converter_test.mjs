// node converter_test.mjs FOLDER CONVERT MODEL: latimer-convert.wasm writes the
// bytes that the host's program CONVERT writes, and says the same sentences.
// Tests converter/wasi/system.cc.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { demoTexts } from "./checks.mjs";

const [folder, program, model] = process.argv.slice(2);
const { convert } = await import(pathToFileURL(`${folder}/converter.mjs`));
const { Latimer } = await import(pathToFileURL(`${folder}/latimer.mjs`));
const texts = demoTexts(
  readFileSync(new URL("../../data/demo_texts.tsv", import.meta.url), "utf8"));
const work = mkdtempSync(join(tmpdir(), "latimer-"));
const names = readdirSync(model).filter((name) => statSync(join(model, name)).isFile());
const files = names.map((name) => [name, new Uint8Array(readFileSync(join(model, name)))]);

function check(good, what) {
  if (!good) throw new Error(what);
}

try {
  for (const args of [["--tile", "4x8"], ["--weights", "f32", "--tile", "8x1"]]) {
    const out = join(work, "expected.ltm");
    execFileSync(program, [model, "-o", out, ...args]);
    const steps = new Set();
    const { model: blob, report, warnings } = await convert(files, {
      name: basename(model), args, onProgress: (step) => steps.add(step) });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    check(Buffer.compare(readFileSync(out), bytes) === 0, `${args}: other bytes`);
    check(/^(int8|f32) weights, tile/.test(report), report);
    check(warnings.length === 0, `${warnings}`);
    check(steps.has("packing weights"), `${[...steps]}`);
    if (args.includes("f32")) continue;
    const t = await Latimer.load(bytes);
    check((await t.translate("Good morning.")).text === texts["Good morning."],
      "translation");
  }
  const config = new TextEncoder().encode('{"model_type": "gpt2"}');
  const { stderr } = spawnSync(program, [work, "-o", join(work, "x.ltm")], { encoding: "utf8" });
  check(stderr !== "", "the host refuses an empty folder");
  for (const [some, pattern] of [
    [[["config.json", config]], /^config\.json: .*gpt2/],
    [[["README.md", config]], /./],
    [files.map(([name, data]) => [name, data.subarray(0, 1000)]), /./],
  ]) {
    let message = "";
    try {
      await convert(some);
    } catch (error) {
      check(error.name === "LatimerError", error.name);
      message = error.message;
    }
    check(pattern.test(message) && !/has stopped/.test(message), `"${message}"`);
    console.log(message);
  }
} finally {
  rmSync(work, { recursive: true });
}
