// The page: a model in workers, which translates what is typed.
import { convert } from "./latimer/converter.mjs";
import { Latimer } from "./latimer/latimer.mjs";
import { languageName, start } from "./translator.mjs";

const $ = (id) => document.getElementById(id);
const kWorkers = Math.min(4, navigator.hardwareConcurrency ?? 1);
const kAlternatives = 2;
const kOtherWords = 5;
// As many as a published model searches with, and what kOtherWords need.
const kBeams = kOtherWords + 1;
// Milliseconds before a translation is shown that is not complete.
const kPatience = 200;
const kModel = new URLSearchParams(location.search).get("model") ?? "en-de.ltm";
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

let latimer = null;
let last = null;  // The last sentence, and the options that it was translated with.

async function open(source, name) {
  page.say(`Loading ${name} …`);
  const begin = performance.now();
  try {
    const onProgress = (loaded, total) =>
      page.say(`Loading ${name}: ${megabytes(loaded)} of ${megabytes(total)} …`);
    const next = await Latimer.load(source, { workers: kWorkers, beams: kBeams, onProgress });
    latimer?.close();
    latimer = next;
  } catch (error) {
    return page.say(`${name}: ${error.message}`, true);
  }
  const { info } = latimer;
  $("model").textContent = `${name}: ${info.weights}, ${megabytes(info.fileBytes)}, loaded in ` +
    `${(performance.now() - begin).toFixed(0)} ms, memory ${megabytes(info.memoryBytes)}.`;
  $("license").textContent = info.license || "The file names none.";
  showLanguages(info.languages, name);
}

// A model of one direction has the languages that its name ends with.
function showLanguages(codes, name) {
  const own = (wanted) => codes.find((code) => code.startsWith(wanted));
  const entry = (code, targets) => ({ code, name: languageName(code), targets });
  if (codes.length > 0) {
    const all = codes.map((code) => entry(code, codes.filter((other) => other !== code)));
    return page.setLanguages(all, { from: own("en"), to: own("de") });
  }
  const [, from, to] = name.match(/(?:^|[^a-z])([a-z]{2,3})-([a-z]{2,3})(\.ltm)?$/) ?? [];
  page.setLanguages(from ? [entry(from, [to]), entry(to, [])] : []);
}

const languagesOf = ({ source, target }) => latimer.info.languages.length > 0
  ? { sourceLang: source, targetLang: target } : {};

// Paragraphs with the empty lines behind them: each has an idle worker, if there
// is one.
async function translate(request, show) {
  if (latimer === null) return {};
  const options = { signal: request.signal, ...languagesOf(request) };
  const begin = performance.now();
  const paragraphs = request.text.split(/(?<=\n[^\S\n]*\n)/);
  const pieces = paragraphs.map(() => []);
  await Promise.all(paragraphs.map(async (paragraph, i) => {
    for await (const { text, source } of latimer.translateParagraphs(paragraph, options)) {
      pieces[i].push(source ? { text, source } : { text });
      if (performance.now() - begin > kPatience) show(pieces.flat());
    }
  }));
  show(pieces.flat());
  const milliseconds = (performance.now() - begin).toFixed(0);
  $("figures").textContent =
    `${request.text.trim().split(/\s+/).length} words translated in ${milliseconds} ms.`;
  const sentences = pieces.flat().map(({ source }) => source).filter(Boolean);
  last = { sentence: sentences.at(-1), options: languagesOf(request) };
  await showAttention();
  if (sentences.length !== 1) return {};
  const beams = kAlternatives + 1;
  return { others: await several(sentences[0], { ...options, beams, nBest: beams }) };
}

// Translations of a sentence, the best first.
async function several(sentence, options) {
  const { hypotheses, parts } = await latimer.translate(sentence, options);
  return parts > 1 ? [] : hypotheses.map(({ text }) => text);
}

const page = start({
  wait: 80,
  translate,
  otherWords: ({ sentence, before, signal, ...request }) => several(sentence, {
    signal, ...languagesOf(request), targetPrefix: before, alternatives: kBeams }),
});

// Converts [path, File] of a folder, and opens the model.
async function convertFolder(name, files) {
  try {
    const { model, report } = await convert(files, {
      name,
      onProgress: (step, percent) => page.say(`${name}: ${step}, ${percent} %`),
    });
    URL.revokeObjectURL($("save").href);
    $("save").href = URL.createObjectURL(model);
    $("save").download = `${name}.ltm`;
    $("save").title = report;
    $("save").hidden = false;
    await open(model, `${name}.ltm`);
  } catch (error) {
    page.say(`${name}: ${error.message}`, true);
  }
}

// [path, File] of all files in a folder that was dropped.
async function filesIn(folder, path = "") {
  const reader = folder.createReader();
  const files = [];
  for (;;) {  // Some at a time.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const entry of entries) {
      if (entry.isDirectory) {
        files.push(...await filesIn(entry, `${path}${entry.name}/`));
      } else {
        const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
        files.push([path + entry.name, file]);
      }
    }
  }
}

async function showAttention() {
  if (!$("attention-details").open || last?.sentence === undefined) return;
  const { attention } = await latimer.translate(
    last.sentence, { ...last.options, attention: "cross" });
  draw(attention);
}

// A table of the mean over the heads of the last layer.
function draw({ weights, layers, heads, rows, columns, sourcePieces, targetPieces }) {
  const cell = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };
  const shown = (piece) => piece.replace(/^\u2581(?=.)/, "");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  head.append(cell("th", ""));
  for (const piece of sourcePieces) {
    const th = cell("th", shown(piece));
    th.scope = "col";
    head.append(th);
  }
  const body = table.createTBody();
  for (let row = 0; row < rows; ++row) {
    const line = body.insertRow();
    const th = cell("th", shown(targetPieces[row]));
    th.scope = "row";
    line.append(th);
    for (let column = 0; column < columns; ++column) {
      let weight = 0;
      for (let h = 0; h < heads; ++h) {
        weight += weights[((row * layers + layers - 1) * heads + h) * columns + column] / heads;
      }
      const td = line.insertCell();
      td.style.setProperty("--weight", weight.toFixed(3));
      td.title = `${Math.round(100 * weight)} %`;
      td.setAttribute("aria-label", td.title);
    }
  }
  $("attention").replaceChildren(table);
}

$("attention-details").addEventListener("toggle", showAttention);
$("file").addEventListener("change", ({ target }) => {
  if (target.files.length > 0) open(target.files[0], target.files[0].name);
});
$("folder").addEventListener("change", ({ target }) => {
  const files = [...target.files].map((file) => {
    const [folder, ...path] = file.webkitRelativePath.split("/");
    return { folder, file, path: path.join("/") };
  });
  if (files.length > 0) {
    convertFolder(files[0].folder, files.map(({ path, file }) => [path, file]));
  }
});
for (const type of ["dragenter", "dragover"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
}
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("over");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  const entry = event.dataTransfer.items?.[0]?.webkitGetAsEntry?.();
  if (entry?.isDirectory) {
    filesIn(entry).then((files) => convertFolder(entry.name, files));
    return;
  }
  const [file] = event.dataTransfer.files;
  if (file) open(file, file.name);
});

// After one visit the page works offline: what is loaded from here on passes through the service worker, and what came
// before it is asked for once more.
async function keep() {
  const worker = navigator.serviceWorker;
  if (!worker) return;
  const visitedBefore = worker.controller !== null;
  await worker.register("sw.js");
  if (visitedBefore) return;
  if (!worker.controller) {
    await new Promise((resolve) => {
      worker.addEventListener("controllerchange", resolve, { once: true });
      setTimeout(resolve, 1000);  // It never comes if the page was reloaded without caches.
    });
  }
  for (const { name } of performance.getEntriesByType("resource")) fetch(name).catch(() => {});
  fetch(location.href).catch(() => {});
}

await keep().catch(() => {});  // Where it is forbidden, the page needs its server.
$("text").value = "I have not read the book yet.";
await open(new URL(kModel, location), kModel);
