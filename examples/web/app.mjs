// The page: a model in a worker, a text, its translation while it is typed.
import { convert } from "./latimer/converter.mjs";
import { Latimer } from "./latimer/latimer.mjs";

const $ = (id) => document.getElementById(id);
const kWorkers = Math.min(4, navigator.hardwareConcurrency ?? 1);
const kModel = new URLSearchParams(location.search).get("model") ?? "en-de.ltm";
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

let latimer = null;
let running = null;  // AbortController of the translation under way.

async function open(source, name) {
  $("error").textContent = "";
  $("model").textContent = `Loading ${name} …`;
  const begin = performance.now();
  try {
    const next = await Latimer.load(source, { workers: kWorkers });
    running?.abort();
    latimer?.close();
    latimer = next;
  } catch (error) {
    $("error").textContent = `${name}: ${error.message}`;
  }
  if (latimer === null) {
    $("model").textContent = "There is no model yet.";
    return;
  }
  if ($("error").textContent === "") show(name, performance.now() - begin);
  await translate();
}

function show(name, milliseconds) {
  const { info } = latimer;
  latimer.name = `${name}: ${info.weights}, ${megabytes(info.fileBytes)}, loaded in ` +
    `${milliseconds.toFixed(0)} ms; memory ${megabytes(info.memoryBytes)}`;
  $("license").textContent = info.license || "The file names none.";
  $("languages").hidden = info.languages.length === 0;
  for (const [id, wanted] of [["source-lang", "en"], ["target-lang", "de"]]) {
    $(id).replaceChildren(...info.languages.map((code) => new Option(code)));
    const own = info.languages.find((code) => code.startsWith(wanted));
    if (own) $(id).value = own;
  }
}

async function translate() {
  if (latimer === null) return;
  $("model").textContent = latimer.name;
  running?.abort();
  const own = (running = new AbortController());
  const options = { signal: own.signal };
  if (!$("languages").hidden) {
    options.sourceLang = $("source-lang").value;
    options.targetLang = $("target-lang").value;
  }
  const text = $("text").value;
  const begin = performance.now();
  // Paragraphs with the empty lines behind them: each has an idle worker, if there is one.
  const paragraphs = text.split(/(?<=\n[^\S\n]*\n)/);
  const translations = paragraphs.map(() => "");
  const lasts = [];  // The last sentence of each.
  try {
    await Promise.all(paragraphs.map(async (paragraph, i) => {
      for await (const portion of latimer.translateParagraphs(paragraph, options)) {
        translations[i] += portion.text;
        if (portion.source) lasts[i] = portion.source;
        $("translation").textContent = translations.join("");
      }
    }));
    if (translations.join("") === "") $("translation").textContent = "";
    const last = lasts.filter(Boolean).at(-1) ?? "";
    const seconds = (performance.now() - begin) / 1000;
    if (last === "") return;
    const { attention, tokens, milliseconds } =
      await latimer.translate(last, { ...options, attention: "cross" });
    $("figures").textContent =
      `${text.trim().split(/\s+/).length} words in ${(1000 * seconds).toFixed(0)} ms; last sentence: ` +
      `${(tokens.length / milliseconds * 1000).toFixed(0)} tokens per second`;
    draw(attention);
  } catch (error) {
    if (!own.signal.aborted) $("error").textContent = error.message;
    own.abort();
  }
}

// Converts [path, File] of a folder, and opens the model.
async function convertFolder(name, files) {
  $("error").textContent = "";
  try {
    const { model, report } = await convert(files, {
      name,
      onProgress: (step, percent) => {
        $("model").textContent = `${name}: ${step}, ${percent} %`;
      },
    });
    URL.revokeObjectURL($("save").href);
    $("save").href = URL.createObjectURL(model);
    $("save").download = `${name}.ltm`;
    $("save").title = report;
    $("save").hidden = false;
    await open(model, `${name}.ltm`);
  } catch (error) {
    $("error").textContent = `${name}: ${error.message}`;
    if (latimer !== null) $("model").textContent = latimer.name;
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

let timer = 0;
const soon = () => {
  clearTimeout(timer);
  timer = setTimeout(translate, 80);
};
for (const id of ["text", "source-lang", "target-lang"]) {
  $(id).addEventListener("input", soon);
}
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

if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js");
fetch("latimer/latimer-convert.wasm", { method: "HEAD" })
  .then(({ ok }) => ($("convert").hidden = !ok), () => {});
await open(new URL(kModel, location), kModel);
