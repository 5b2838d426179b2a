// The page of speech: what is said into the microphone, or in a recording, as text
// and, with a second model, its translation.
import { Latimer, Transcriber } from "./latimer/latimer.mjs";
import { Microphone } from "./latimer/microphone.mjs";
import { languageName } from "./translator.mjs";

const $ = (id) => document.getElementById(id);
const kAddress = new URLSearchParams(location.search);
const kModel = kAddress.get("model") ?? "tiny.en.ltm";
const kThen = kAddress.get("then");  // No other model: nothing is translated.
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

let transcriber = null;
let translator = null;
let target = "";  // Its language, where its name ends with it.
let microphone = null;

function say(what, isError = false) {
  $("message").textContent = what;
  $("message").toggleAttribute("data-error", isError);
}

// ---- Models -----------------------------------------------------------------

// The model that `kind`, a class, loads; null, and a message, if it cannot.
async function load(kind, source, name) {
  const begin = performance.now();
  const onProgress = (loaded, total) =>
    say(`Loading ${name}: ${megabytes(loaded)} of ${megabytes(total)} …`);
  try {
    const model = await kind.load(source, { onProgress });
    const { weights, fileBytes, memoryBytes } = model.info;
    say("");
    const about = `${name}: ${weights}, ${megabytes(fileBytes)}, loaded in ` +
      `${(performance.now() - begin).toFixed(0)} ms, memory ${megabytes(memoryBytes)}.`;
    return { model, about };
  } catch (error) {
    say(`${name}: ${error.message}`, true);
    return null;
  }
}

async function openSpeech(source, name) {
  const found = await load(Transcriber, source, name);
  if (found === null) return;
  transcriber?.close();
  transcriber = found.model;
  $("model").textContent = found.about;
  $("record").disabled = false;
  const codes = transcriber.info.languages;
  const names = codes.map((code) => [languageName(code), code])
    .sort(([a], [b]) => a.localeCompare(b));
  $("language").replaceChildren(
    ...[["Detect language", ""], ...names].map((entry) => new Option(...entry)));
  $("language").hidden = codes.length === 0;
  $("heading").hidden = codes.length > 0;
}

async function openThen(source, name) {
  const found = await load(Latimer, source, name);
  if (found === null) return;
  translator?.close();
  translator = found.model;
  [, target = ""] = name.match(/[a-z]{2,3}-([a-z]{2,3})(?:\.ltm)?$/) ?? [];
  $("then").textContent = found.about;
}

// ---- Speech -----------------------------------------------------------------

function line(text, name, lang = "") {
  const p = document.createElement("p");
  p.className = name;
  p.dir = "auto";
  p.lang = lang;
  p.textContent = text;
  return p;
}

// Adds what is said, from a time in seconds on if it is of a recording.
async function add(text, language, time) {
  if (text === "") return;
  const entry = document.createElement("li");
  const said = line(text, "said", language);
  if (time !== undefined) {
    const at = document.createElement("span");
    at.className = "time";
    at.textContent = `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;
    said.prepend(at);
  }
  entry.append(said);
  $("said").append(entry);
  $("clear").disabled = $("copy").disabled = false;
  if (translator) {
    const { text: translation } = await translator.translate(text);
    entry.append(line(translation, "translation", target));
  }
}

const options = () => ({ language: $("language").value });

async function record() {
  if (microphone) return microphone.stop();
  $("record").disabled = true;
  try {
    microphone = await Microphone.open();
    $("record").disabled = false;
    $("record").textContent = "Stop";
    $("record").ariaPressed = "true";
    say("Listening …");
    const { sampleRate } = microphone;
    for await (const samples of microphone.speech()) {
      say("Writing …");
      const begin = performance.now();
      const { text, segments } = await transcriber.transcribe(
        samples, { ...options(), sampleRate });
      const seconds = (samples.length / sampleRate).toFixed(1);
      $("figures").textContent =
        `${seconds} s of speech written in ${((performance.now() - begin) / 1000).toFixed(2)} s.`;
      await add(text, segments[0]?.language);
      say("Listening …");
    }
    say("");
  } catch (error) {
    microphone?.stop();
    say(error.message, true);
  } finally {
    microphone = null;
    $("record").disabled = false;
    $("record").textContent = "Record";
    $("record").ariaPressed = "false";
  }
}

async function read(file) {
  if (transcriber === null) return say("Open a model that reads speech first.", true);
  say(`Reading ${file.name} …`);
  try {
    for await (const { text, start, language } of transcriber.stream(file, options())) {
      await add(text.trim(), language, start);
    }
    say("");
  } catch (error) {
    say(`${file.name}: ${error.message}`, true);
  }
}

const whole = () => [...$("said").children].map((entry) =>
  [...entry.children].map((p) => p.lastChild.textContent).join("\n")).join("\n");

$("record").addEventListener("click", record);
$("clear").addEventListener("click", () => {
  $("said").replaceChildren();
  $("clear").disabled = $("copy").disabled = true;
});
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(whole());
    say("Copied.");
  } catch {  // Without https there is no clipboard.
    getSelection().selectAllChildren($("said"));
    say("The browser does not let this page copy. The text is selected: copy it.", true);
  }
});
for (const [id, open] of [["recording", read], ["speech-file", openSpeech], ["then-file", openThen]]) {
  $(id).addEventListener("change", async ({ target: { files } }) => {
    if (files.length > 0) await open(files[0], files[0].name);
    $(id).value = "";  // The same file again is a change, too.
  });
}

await openSpeech(new URL(kModel, location), kModel);
if (kThen !== null) await openThen(new URL(kThen, location), kThen);
