// What both pages do with translator.html: languages, a text that is translated
// while it is typed, and words of the translation that the reader replaces.

const at = (id) => document.getElementById(id);
const kWord = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}\p{M}])?/gu;
// Languages that put no space between words.
const kUnspaced = /^(ja|jpn|zh|zho|th|tha|lo|lao|km|khm|my|mya|bo|bod)\b/;
// Milliseconds after which the page says that it translates.
const kSlow = 400;

const tagOf = (code) => code.replaceAll("_", "-");

// The English name of a code such as "de", "deu_Latn", "pt_BR" or "en_XX"; the
// code itself if the browser does not know it.
export function languageName(code) {
  try {
    const { language, script, region } = new Intl.Locale(tagOf(code));
    const usual = new Intl.Locale(language).maximize();
    const parts = [language, script !== usual.script && script,
      region !== usual.region && region !== "XX" && region];
    return new Intl.DisplayNames("en", { type: "language" }).of(parts.filter(Boolean).join("-"));
  } catch {
    return code;
  }
}

// [begin, end) of the words of a text in a language.
function wordsIn(text, language) {
  const found = kUnspaced.test(language)
    ? [...new Intl.Segmenter(tagOf(language), { granularity: "word" }).segment(text)]
      .filter(({ isWordLike }) => isWordLike).map(({ index, segment }) => [index, segment])
    : [...text.matchAll(kWord)].map(({ index, 0: word }) => [index, word]);
  return found.map(([begin, word]) => [begin, begin + word.length]);
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Starts the page. It gives
//   translate({ text, source, target, signal }, show): calls show(pieces) with
//     what there is of the translation, as often as it likes: a piece is
//     { text, source }, without `source` where it stands between sentences. Its
//     result may have `detected`, a language, and `others`, more translations
//     of a text that is one sentence.
//   otherWords({ sentence, before, source, target, signal }): translations of a
//     sentence that begin with `before` and differ in the next word.
// and gets say(), setLanguages() and refresh().
export function start({ translate, otherWords, wait }) {
  const [source, target, text, output, menu] =
    ["source", "target", "text", "translation", "words"].map(at);
  let languages = [];  // { code, name, targets }
  let detected = "";
  let pieces = [];
  let others = [];
  let current = null;  // The word that Tab reaches.
  let running = new AbortController();
  let asking = new AbortController();
  let timer = 0;  // Not 0: what was typed waits.
  let limit = Infinity;
  const chosen = new Map();  // Translations that the reader chose, by sentence.

  function say(what, isError = false) {
    at("message").textContent = what;
    at("message").toggleAttribute("data-error", isError);
  }

  // ---- Languages --------------------------------------------------------------

  const language = (code) => languages.find((one) => one.code === code);
  const nameOf = (code) => language(code)?.name ?? languageName(code);
  const from = () => (source.value === "auto" ? detected : source.value);
  const canSwap = (a, b) => a !== b && Boolean(language(b)?.targets.includes(a));

  // One language is no choice.
  function fill(select, entries, wanted, otherwise) {
    select.replaceChildren(...entries.map(([code, name]) => new Option(name, code)));
    if (entries.some(([code]) => code === wanted)) select.value = wanted;
    select.hidden = entries.length < 2;
    const only = at(`${select.id}-only`);
    only.hidden = !select.hidden;
    only.textContent = entries[0]?.[1] ?? otherwise;
  }

  function showTargets(wanted) {
    const all = source.value === "auto" ? languages.flatMap(({ targets }) => targets)
      : language(source.value)?.targets ?? [];
    const codes = [...new Set(all)].filter((code) => code !== source.value);
    fill(target, codes.map((code) => [code, nameOf(code)]), wanted, "Translation");
    showDirection();
  }

  function showDirection() {
    const auto = [...source.options].find(({ value }) => value === "auto");
    if (auto) auto.textContent = detected ? `${nameOf(detected)} (detected)` : "Detect language";
    const name = from() ? nameOf(from()) : "Any language";
    at("direction").textContent = target.value ? `${name} to ${nameOf(target.value)}` : "Translation";
    document.title = `${at("direction").textContent} – Latimer`;
    at("swap").disabled = !canSwap(from(), target.value);
    text.lang = tagOf(from());
    for (const other of [output, menu, at("alternatives")]) other.lang = tagOf(target.value);
  }

  // `from` and `to` are those to begin with, `most` the characters of a text.
  function setLanguages(list, { from: first, to, detects = false, most = Infinity } = {}) {
    languages = list;
    limit = most;
    chosen.clear();
    detected = "";
    const sources = list.filter(({ targets }) => targets.length > 0)
      .map(({ code, name }) => [code, name]);
    if (detects) sources.unshift(["auto", "Detect language"]);
    fill(source, sources, first, "Text");
    at("swap").hidden = !list.some(({ code, targets }) => targets.some((other) => canSwap(code, other)));
    showTargets(to);
    refresh();
  }

  function change() {
    detected = "";
    showTargets(target.value);
    refresh();
  }

  // ---- The translation --------------------------------------------------------

  const key = (sentence) => [source.value, target.value, sentence].join("\n");
  const whole = () => pieces.map((piece) => piece.text).join("");

  function nodeOf(piece) {
    if (piece.source === undefined) return document.createTextNode(piece.text);
    const sentence = element("span", {});
    sentence.piece = piece;
    let end = 0;
    for (const [begin, next] of wordsIn(piece.text, target.value)) {
      const word = element("span", { class: "word" }, piece.text.slice(begin, next));
      word.begin = begin;
      sentence.append(piece.text.slice(end, begin), word);
      end = next;
    }
    sentence.append(piece.text.slice(end));
    return sentence;
  }

  // Nodes of pieces that are there already stay.
  function show(some) {
    pieces = some;
    pieces.forEach((piece, i) => {
      if (piece.node === undefined) {
        piece.text = chosen.get(key(piece.source)) ?? piece.text;
        piece.node = nodeOf(piece);
      }
      if (output.childNodes[i] !== piece.node) {
        output.insertBefore(piece.node, output.childNodes[i] ?? null);
      }
    });
    while (output.childNodes.length > pieces.length) output.lastChild.remove();
    if (!output.contains(current)) reach(output.querySelector(".word"));
    at("copy").disabled = pieces.length === 0;
    at("hint").hidden = current === null;
    showOthers();
  }

  function showOthers() {
    const sentences = pieces.filter((piece) => piece.source !== undefined);
    const [piece] = sentences;
    const shown = sentences.length === 1 ? others.filter((other) => other !== piece.text) : [];
    at("others").hidden = shown.length === 0;
    at("alternatives").replaceChildren(...shown.map((other, i) => {
      const button = element("button", { type: "button", dir: "auto" }, other);
      button.addEventListener("click", () => {
        others[others.indexOf(other)] = piece.text;
        choose(piece, other);
        at("alternatives").children[i]?.firstChild.focus();
      });
      return element("li", {}, button);
    }));
  }

  async function refresh() {
    clearTimeout(timer);
    timer = 0;
    running.abort();
    output.ariaBusy = "true";
    close();
    const own = (running = new AbortController());
    const length = [...text.value].length;
    at("clear").disabled = length === 0;
    at("count").textContent = limit < Infinity
      ? `${length.toLocaleString("en")} of ${limit.toLocaleString("en")} characters` : "";
    at("count").toggleAttribute("data-error", length > limit);
    if (text.value.trim() === "" || length > limit) {
      others = [];
      detected = "";
      showDirection();
      show([]);
      output.ariaBusy = "false";
      if (length <= limit) return say("");
      return say("The text is too long. Shorten it, or translate it in parts.", true);
    }
    const slow = setTimeout(() => say("Translating …"), kSlow);
    const request = { text: text.value, source: source.value, target: target.value, signal: own.signal };
    try {
      const result = await translate(request, (some) => {
        if (own.signal.aborted) return;
        others = [];
        show(some);
      });
      if (own.signal.aborted) return;
      detected = result?.detected ?? "";
      others = result?.others ?? [];
      showDirection();
      showOthers();
      say("");
    } catch (error) {
      if (!own.signal.aborted) say(error.message, true);
    } finally {
      clearTimeout(slow);
      if (!own.signal.aborted && timer === 0) output.ariaBusy = "false";
    }
  }

  function soon() {
    output.ariaBusy = "true";
    clearTimeout(timer);
    timer = setTimeout(refresh, wait);
  }

  // ---- Other words ------------------------------------------------------------

  // The word that Tab reaches is a button; the others are text.
  function reach(word) {
    for (const name of ["role", "tabindex", "aria-haspopup", "aria-expanded", "aria-busy"]) {
      current?.removeAttribute(name);
    }
    current = word;
    word?.setAttribute("role", "button");
    word?.setAttribute("tabindex", "0");
    word?.setAttribute("aria-haspopup", "listbox");
    word?.setAttribute("aria-expanded", "false");
  }

  function close() {
    asking.abort();
    current?.removeAttribute("aria-busy");
    if (menu.matches(":popover-open")) menu.hidePopover();
  }

  // Wherever the sentence is. Tab then reaches the word at the place of the
  // current one.
  function choose(piece, translation) {
    const { begin } = current;
    chosen.set(key(piece.source), translation);
    for (const same of pieces.filter(({ source: sentence }) => sentence === piece.source)) {
      same.node.remove();
      delete same.node;
    }
    show(pieces);
    const word = [...piece.node.children].find((one) => one.begin === begin);
    if (word) reach(word);
  }

  async function offer(word) {
    close();
    reach(word);
    word.focus();
    const own = (asking = new AbortController());
    const { piece } = word.parentNode;
    const before = piece.text.slice(0, word.begin);
    word.setAttribute("aria-busy", "true");
    try {
      const found = await otherWords({ sentence: piece.source, before,
        source: from(), target: target.value, signal: own.signal });
      if (own.signal.aborted) return;
      const words = new Map();  // The best translation of each.
      for (const translation of found) {
        const rest = translation.slice(before.length);
        const [range] = wordsIn(rest, target.value);
        if (!translation.startsWith(before) || range === undefined) continue;
        const next = rest.slice(...range);
        if (next !== word.textContent && !words.has(next)) words.set(next, { translation, rest, end: range[1] });
      }
      if (words.size === 0) return say(`The model has no other word for “${word.textContent}” here.`);
      say("");
      list(word, piece, [...words.values()]);
    } catch (error) {
      if (!own.signal.aborted) say(error.message, true);
    } finally {
      word.removeAttribute("aria-busy");
    }
  }

  function list(word, piece, entries) {
    menu.setAttribute("aria-label", `Instead of “${word.textContent}”`);
    menu.replaceChildren(...entries.map(({ translation, rest, end }) => {
      const option = element("div", { role: "option", tabindex: "-1", dir: "auto" },
        element("b", {}, rest.slice(0, end)), rest.slice(end));
      option.addEventListener("click", () => {
        close();
        choose(piece, translation);
        current?.focus();
      });
      return option;
    }));
    menu.showPopover();
    const box = word.getBoundingClientRect();
    const widest = document.documentElement.clientWidth - menu.offsetWidth - 16;
    menu.style.left = `${Math.max(16, Math.min(box.left - 12, widest)) + scrollX}px`;
    menu.style.top = `${box.bottom + 6 + scrollY}px`;
    word.setAttribute("aria-expanded", "true");
    menu.firstChild.focus();
  }

  // Moves the focus among elements; false for other keys.
  function move({ key: name }, all, here, [back, on]) {
    const next = { [back]: here - 1, [on]: here + 1, Home: 0, End: all.length - 1 }[name];
    if (next === undefined) return false;
    const found = all[Math.max(0, Math.min(next, all.length - 1))];
    if (found.matches(".word")) reach(found);
    found.focus();
    return true;
  }

  output.addEventListener("click", ({ target: clicked }) => {
    const word = clicked.closest(".word");
    if (word && getSelection().isCollapsed) offer(word);
  });
  output.addEventListener("keydown", (event) => {
    const words = [...output.querySelectorAll(".word")];
    const arrows = ["ArrowLeft", "ArrowRight"];
    if (getComputedStyle(output).direction === "rtl") arrows.reverse();
    if (event.key === "Enter" || event.key === " ") offer(current);
    else if (!move(event, words, words.indexOf(current), arrows)) return;
    event.preventDefault();
  });
  menu.addEventListener("keydown", (event) => {
    const options = [...menu.children];
    const here = options.indexOf(document.activeElement);
    if (event.key === "Enter" || event.key === " ") options[here].click();
    else if (event.key === "Tab") close();
    else if (!move(event, options, here, ["ArrowUp", "ArrowDown"])) return;
    event.preventDefault();
  });
  // By Escape or a click elsewhere, too.
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState === "closed") current?.setAttribute("aria-expanded", "false");
  });

  // ---- Buttons ----------------------------------------------------------------

  text.addEventListener("input", soon);
  source.addEventListener("change", change);
  target.addEventListener("change", change);
  at("translator").addEventListener("submit", (event) => event.preventDefault());
  at("clear").addEventListener("click", () => {
    text.value = "";
    text.focus();
    refresh();
  });
  at("swap").addEventListener("click", () => {
    const [a, b] = [from(), target.value];
    source.value = b;
    if (pieces.length > 0) text.value = whole();
    detected = "";
    showTargets(a);
    refresh();
  });
  at("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(whole());
    } catch {  // Without https there is no clipboard.
      getSelection().selectAllChildren(output);
      if (!document.execCommand("copy")) {
        return say("The browser does not let this page copy. The translation is selected: copy it.", true);
      }
      getSelection().removeAllRanges();
    }
    say("Copied.");
  });
  // Not where it would bring up a keyboard, and not inside another page.
  if (parent === window && !matchMedia("(pointer: coarse)").matches) text.focus();
  return { say, setLanguages, refresh };
}
