// What is checked of examples/web, in a frame of the page with the tests.
import { demoTexts } from "./checks.mjs";

async function until(what, condition) {
  const end = performance.now() + 20000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what}: not in 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function drop(window, file, items) {
  const event = new window.Event("drop", { cancelable: true, bubbles: true });
  Object.defineProperty(event, "dataTransfer", { value: { files: [file], items } });
  window.dispatchEvent(event);
}

// A FileSystemDirectoryEntry, as a browser has it for a folder that is dropped.
function folderEntry(name, files) {
  let rest = files;
  return {
    name,
    isDirectory: true,
    createReader: () => ({
      readEntries(resolve) {
        const some = rest.slice(0, 2);
        rest = rest.slice(2);
        resolve(some.map((file) => ({
          name: file.name, isDirectory: false, file: (give) => give(file) })));
      },
    }),
  };
}

const checks = {
  async "the page translates with its model"({ $, texts }) {
    await until("a translation", () => $("translation").textContent ===
      texts["I have not read the book yet."]);
    if (!/^en-de\.ltm: int8, 14\.1 MB/.test($("model").textContent)) {
      throw new Error($("model").textContent);
    }
  },
  async "what is typed is translated"({ $, window, texts }) {
    $("text").value = "Good morning. How are you today?";
    $("text").dispatchEvent(new window.Event("input"));
    await until("a translation", () => $("translation").textContent ===
      `${texts["Good morning."]} ${texts["How are you today?"]}`);
    await until("figures", () => /^6 words translated in /.test($("figures").textContent));
    $("attention-details").open = true;
    await until("attention", () => $("attention").querySelectorAll("tbody tr").length === 7);
  },
  async "paragraphs come out in their order"({ $, window, texts }) {
    $("text").value = "Good morning.\n\nHow are you today?\n \nGood morning.";
    $("text").dispatchEvent(new window.Event("input"));
    await until("a translation", () => $("translation").textContent ===
      ["Good morning.", "\n\n", "How are you today?", "\n \n", "Good morning."]
        .map((some) => texts[some] ?? some).join(""));
  },
  async "a broken file is one sentence, and the model stays"({ $, window, texts }) {
    drop(window, new window.File(["hello ".repeat(100)], "broken.ltm"));
    await until("an error", () => /^broken\.ltm: This is not a Latimer model/
      .test($("message").textContent));
    $("text").value = "Good morning.";
    $("text").dispatchEvent(new window.Event("input"));
    await until("a translation", () => $("translation").textContent ===
      texts["Good morning."]);
  },
  async "a model that is dropped is used"({ $, window }) {
    const bytes = await (await fetch("/site/en-de.ltm")).arrayBuffer();
    drop(window, new window.File([bytes], "mine.ltm"));
    await until("the model", () => /^mine\.ltm: int8/.test($("model").textContent));
    await until("no message", () => $("message").textContent === "");
  },
  async "a folder that is dropped is converted"({ $, window, texts }) {
    const { model, converter } = await (await fetch("/data")).json();
    await until("the button", () => $("convert").checkVisibility() === converter);
    if (!converter) return;  // wasm32_converter has not been built.
    const files = await Promise.all(model.map(async (name) =>
      new window.File([await (await fetch(`/model/${name}`)).arrayBuffer()], name)));
    const item = { webkitGetAsEntry: () => folderEntry("own", files) };
    drop(window, null, [item]);
    await until("the model", () => /^own\.ltm: int8/.test($("model").textContent));
    if ($("save").download !== "own.ltm" || $("save").hidden) throw new Error("no download");
    await until("a translation", () => $("translation").textContent ===
      texts["Good morning."]);
    const broken = { webkitGetAsEntry: () => folderEntry("broken", files.slice(0, 1)) };
    drop(window, null, [broken]);
    await until("an error", () => /^broken: ./.test($("message").textContent));
    if (!/^own\.ltm/.test($("model").textContent)) throw new Error($("model").textContent);
  },
  async "after one visit the page works without a server"({ frame, window, texts }) {
    for (const worker of await window.navigator.serviceWorker.getRegistrations()) {
      await worker.unregister();
    }
    for (const name of await window.caches.keys()) await window.caches.delete(name);
    await show(frame, "about:blank");  // Nobody uses the worker now, so that it goes.
    const visit = async (name) => {
      await show(frame);
      const $ = (id) => frame.contentDocument.getElementById(id);
      await until(`a translation ${name}`, () => $("translation")?.textContent ===
        texts["I have not read the book yet."]);
    };
    await visit("with the server");
    await fetch("/offline", { method: "POST", body: "{}" });
    try {
      const server = await fetch("/site/style.css?direct", { cache: "no-store" })
        .then(({ ok }) => ok, () => false);
      if (server) throw new Error("the server still answers");
      await visit("without the server");
    } finally {
      await fetch("/online", { method: "POST", body: "{}" });
    }
  },
};

async function show(frame, address = "/site/") {
  const loaded = new Promise((resolve) => { frame.onload = resolve; });
  frame.src = address;
  await loaded;
}

export async function runPageChecks(frame) {
  await show(frame);
  const texts = demoTexts((await (await fetch("/data")).json()).texts);
  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    const window = frame.contentWindow;
    const $ = (id) => window.document.getElementById(id);
    try {
      await check({ frame, window, $, texts });
      results.push({ name });
    } catch (error) {
      results.push({ name, error: String(error.stack ?? error) });
    }
  }
  return results;
}
