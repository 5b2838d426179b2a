// node node_test.mjs FOLDER MODEL SOURCE ROOT [PROGRAM]: the checks in this thread.
// SOURCE is the model without the target's tokenizer, and PROGRAM `latimer` of this
// machine; --times in its place measures.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { demoTexts, measure, runChecks } from "./checks.mjs";
import { measureWorkers, workerChecks } from "./worker_checks.mjs";

const [folder, model, source, root, program] = process.argv.slice(2)
  .map((word) => (word.startsWith("--") ? word : resolve(word)));
const { Latimer, Pivot, compile, ownSharedModule } = await import(pathToFileURL(`${folder}/latimer.mjs`));
const engine = String(pathToFileURL(`${folder}/engine.mjs`));
const { Engine } = await import(engine);
const text = (path) => readFileSync(`${root}/${path}`, "utf8");
const begin = performance.now();
const t = await Latimer.load(pathToFileURL(model));
const load = performance.now() - begin;
const context = {
  Latimer,
  Pivot,
  Engine,
  shared: { engine, module: await compile(ownSharedModule()) },
  t,
  source: pathToFileURL(model),
  withoutTarget: pathToFileURL(source),
  options: {},
  plain: pathToFileURL(`${folder}/latimer.wasm`),
  bytes: new Uint8Array(readFileSync(model)),
  lines: text("examples/en-de/data/test.en").split("\n").slice(0, 200),
  fixture: text("examples/en-de/fixture.jsonl").split("\n").slice(0, 20).map((l) => JSON.parse(l)),
  texts: demoTexts(text("tests/data/demo_texts.tsv")),
  published: /^(\w+) +int8 200$/m.exec(text("tests/data/same_tokens.sha256"))[1],
};
if (program === "--times") {
  console.log(JSON.stringify({
    load, ...(await measure(context)), workers: await measureWorkers(context) }));
  process.exit(0);
}
if (program) {
  // The lines that the program writes for these.
  context.run = (lines, ...options) =>
    execFileSync(program, ["translate", model, ...options], { input: lines.join("\n") })
      .toString().replace(/\n$/, "").split("\n");
  context.told = context.run(context.lines.slice(0, 20), "--json")
    .map((line) => JSON.parse(line));
}
const work = mkdtempSync(join(tmpdir(), "latimer-"));
if (program) {
  context.forPc = join(work, "pc.ltm");
  execFileSync(join(dirname(program), "latimer-convert"),
    [`${root}/examples/en-de`, "-o", context.forPc, "--tile", "8x8"]);
}
process.chdir(dirname(model));
context.inNode = basename(model);
let failed = 0;
const results = [
  ...(await runChecks(context)), ...(await runChecks(context, workerChecks))];
for (const { name, error } of results) {
  console.log(`${error ? "FAILED" : "ok"}: ${name}${error ? `\n  ${error}` : ""}`);
  if (error) ++failed;
}
rmSync(work, { recursive: true });
process.exit(failed > 0 ? 1 : 0);
