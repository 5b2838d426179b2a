// What is checked of the module, in Node and in browsers. Each check is a
// function that throws.
// Tests bindings/wasm/module.cc.

export function equal(found, expected, what = "") {
  const [a, b] = [found, expected].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${what} ${a} is not ${b}`);
}

export function near(found, expected) {
  if (!(Math.abs(found - expected) < 1e-4)) throw new Error(`${found} is not near ${expected}`);
}

export async function fails(work, pattern, kind = "LatimerError") {
  try {
    await work();
  } catch (error) {
    if (error.name !== kind) throw new Error(`${error.name}: ${error.message}`);
    if (!pattern.test(error.message)) {
      throw new Error(`${error.message} does not match ${pattern}`);
    }
    return;
  }
  throw new Error(`nothing failed with ${pattern}`);
}

const { subtle } = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

export async function digest(translations) {
  const text = translations.map(({ tokens }) => tokens.join(" ") + "\n").join("");
  const bytes = await subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (b) => b.toString(16).padStart(2, "0")).join("");
}

// Translations by the demo model, by source and options: tests/data/demo_texts.tsv.
export const demoTexts = (tsv) => Object.fromEntries(tsv.trim().split("\n").map((line) => {
  const [source, translation, options] = line.split("\t");
  return [options ? `${source} ${options}` : source, translation];
}));

export const kLong = "The weather is nice today, and we are going to the market. ".repeat(60);

// `model` is a Uint8Array or a URL, `bytes` its bytes.
export const checks = {
  async "one by one, the ids are the published ones"({ t, lines, published }) {
    const found = [];
    for (const line of lines) found.push(await t.translate(line, { sentences: false }));
    equal(await digest(found), published);
  },
  async "side by side, the ids are the published ones"({ t, lines, published }) {
    equal(await digest(await t.translateAll(lines, { sentences: false })), published);
  },
  async "without relaxed SIMD, the ids are the published ones"(
    { source, options, plain, lines, published, Latimer }) {
    const own = await Latimer.load(source, { ...options, wasm: plain });
    equal(await digest(await own.translateAll(lines, { sentences: false })), published);
    own.close();
  },
  async "a stream grows to the translation"({ t, lines }) {
    const { text } = await t.translate(lines[0]);
    const seen = [];
    for await (const some of t.stream(lines[0])) seen.push(some);
    equal(seen.at(-1), text);
    if (seen.length < 3) throw new Error(`only ${seen.length} pieces`);
    seen.reduce((a, b) => {
      if (b.length < a.length) throw new Error(`${a} became ${b}`);
      return b;
    });
  },
  async "to leave a stream ends the call"({ t, texts }) {
    for await (const some of t.stream(kLong)) {
      if (some.length > 10) break;
    }
    equal((await t.translate("Good morning.")).text, texts["Good morning."]);
  },
  async "a signal ends a call"({ t, texts }) {
    const abort = new AbortController();
    const work = t.translate(kLong.repeat(20), { signal: abort.signal });
    setTimeout(() => abort.abort(), 30);
    await fails(() => work, /abort/i, "AbortError");
    equal((await t.translate("Good morning.")).text, texts["Good morning."]);
    await fails(
      () => t.translate("Hello.", { signal: AbortSignal.abort() }), /abort/i, "AbortError");
  },
  async "calls wait for each other"({ t, lines }) {
    const alone = [];
    for (const line of lines.slice(0, 5)) alone.push((await t.translate(line)).text);
    const together = await Promise.all(lines.slice(0, 5).map((line) => t.translate(line)));
    equal(together.map(({ text }) => text), alone);
  },
  async "a long text is translated in parts"({ t }) {
    const whole = await t.translate(kLong);
    if (whole.parts < 2) throw new Error(`${whole.parts} parts`);
    equal((await t.translateAll([kLong]))[0].text, whole.text);
    // All that is told is of all parts.
    const told = await t.translate(kLong, { nBest: 1, scores: true, alignment: true });
    equal(told.hypotheses, [{ text: told.text, tokens: told.tokens, score: 0 }]);
    equal([told.scores.length, told.alignment.length], [told.tokens.length, told.tokens.length]);
    equal(told.words.map(({ text }) => text).join(" "), told.text.replace(/\s+/g, " "));
    const { words } = await t.translate(
      `${kLong} Please open {\u0416\u4e2d}.`, { scores: true, protect: true });
    equal(words, []);
    const short = await t.translate(kLong, { budgetTokens: 40 });
    equal([short.stopReason, short.generatedTokens <= 40], ["budget", true]);
  },
  async "running text is translated sentence by sentence"({ t, texts }) {
    const portions = [];
    const text = "Hello there. How are you?\n\nGood morning.";
    for await (const portion of t.translateParagraphs(text)) portions.push(portion);
    equal(portions.map(({ source }) => source).filter(Boolean),
      ["Hello there.", "How are you?", "Good morning."]);
    equal(portions.at(-1).text, texts["Good morning."]);
    equal(portions.at(-1).line, 3);
  },
  async "the tags of HTML are around their words"({ t, texts }) {
    equal(await t.translateHtml("<p>I have <b>not read</b> the <i>book</i> yet.</p>"),
      "<p>Ich habe das <i>Buch</i> noch <b>nicht gelesen</b>.</p>");
    const morning = texts["Good morning."];
    const page = (text) => `<!-- \u{1f600}\u00e4 -->${`<p>${text}</p>\n`.repeat(300)}`;
    equal(await t.translateHtml(page("Good morning.")), page(morning));
    const abort = new AbortController();
    const work = t.translateHtml(page(kLong), { signal: abort.signal });
    setTimeout(() => abort.abort(), 30);
    await fails(() => work, /abort/i, "AbortError");
    equal(await t.translateHtml("<p>Good morning."), `<p>${morning}`);
    await fails(() => t.translateHtml(5), /^html: give a string/, "TypeError");
  },
  async "two models translate one after the other"({ t, texts, Pivot }) {
    const pivot = new Pivot(t, t);
    const [text, html] = ["Good morning.", "<p>Good morning.</p>"];
    const expected = (await t.translate(texts[text])).text;
    equal((await pivot.translate(text)).text, expected);
    equal((await pivot.translateAll([text, text])).map((one) => one.text), [expected, expected]);
    equal(await pivot.translateHtml(html), await t.translateHtml(await t.translateHtml(html)));
    const portions = [];
    for await (const portion of pivot.translateParagraphs(`${text}\n\n${text}`)) portions.push(portion);
    equal(portions.filter(({ source }) => source).map((one) => one.text), [expected, expected]);
    await fails(() => pivot.translate(text, { terms: {} }), /^terms: it belongs/, "TypeError");
  },
  async "numbers are compared"({ t }) {
    equal(await t.checkNumbers("On 3 May \u20ac 1,200 for 4.", "Am 3. Mai 1.200 \u20ac f\u00fcr 5."),
      { missing: ["4"], surplus: ["5"] });
    equal(await t.checkNumbers("None.", "Keine."), { missing: [], surplus: [] });
    await fails(() => t.checkNumbers("x".repeat(1e6), ""), /too long/);
  },
  async "loading tells how far it is"({ Latimer, source, options, bytes }) {
    const seen = [];
    const own = await Latimer.load(
      source, { ...options, onProgress: (loaded, total) => seen.push([loaded, total]) });
    own.close();
    equal(seen.at(-1), [bytes.length, bytes.length]);
    seen.reduce(([a], [b, total]) => {
      equal([b > a, total], [true, bytes.length]);
      return [b];
    }, [0]);
  },
  async "errors have the codes of C"({ t, Latimer, bytes, options }) {
    const code = (work) => work().then(() => "OK", (error) => error.code);
    equal(await code(() => Latimer.load(bytes.slice(0, 100000), options)), "TRUNCATED");
    equal(await code(() => Latimer.load(new Uint8Array(5000), options)), "NOT_A_MODEL");
    equal(await code(() => t.translate("Hi.", { targetLang: "deu_Latn" })), "INVALID_ARGUMENT");
    const own = await Latimer.load(bytes, options);
    own.close();
    equal(await code(() => own.translate("Hi.")), "FAILED_PRECONDITION");
    const nowhere = "http://127.0.0.1:2/x.ltm";
    await fails(() => Latimer.load(nowhere, options), /^http:\/\/127.0.0.1:2\/x.ltm cannot be fetched: ./);
    equal(await code(() => Latimer.load(nowhere, options)), "DOWNLOAD");
  },
  async "beams, scores and attention"({ t, source, options, texts, Latimer }) {
    const { scores, tokens, attention } = await t.translate(
      "How are you today?", { scores: true, attention: "cross" });
    equal(scores.length, tokens.length);
    equal([attention.rows, attention.columns, attention.layers, attention.heads],
      [tokens.length, 6, 2, 4]);
    const { heads, layers, columns, weights } = attention;
    for (let at = 0; at < weights.length; at += columns) {
      const sum = weights.slice(at, at + columns).reduce((a, b) => a + b);
      if (Math.abs(sum - 1) > 1e-5) throw new Error(`a row has the sum ${sum}`);
    }
    equal(weights.length, tokens.length * layers * heads * columns);
    equal(attention.targetPieces[0].startsWith("\u2581"), true);
    const beams = await Latimer.load(source, { ...options, beams: 4 });
    equal((await beams.translate("How are you today?", { beams: 4 })).text,
      texts["How are you today? --beams 4"]);
    beams.close();
  },
  async "words have the mean scores of their tokens"({ t, lines }) {
    for (const line of [...lines.slice(0, 20), kLong, ""]) {
      // A part of kLong has more attention than the profile keeps; parts are not compared with it.
      const { text, tokens, scores, meanScore, words, attention, parts } = await t.translate(
        line, { scores: true, attention: line === kLong ? undefined : "cross" });
      equal(words.map((word) => word.text).join(" "), text.replace(/\s+/g, " "));
      near(meanScore * tokens.length, scores.reduce((a, b) => a + b, 0));
      if (parts > 1 || text === "") continue;
      const sums = [];  // A word begins with U+2581. What ends the sentence is no word.
      attention.targetPieces.forEach((piece, i) => {
        if (piece.startsWith("\u2581") || i === 0) sums.push([]);
        if (i < tokens.length - 1) sums.at(-1).push(scores[i]);
      });
      const means = sums.map((all) => all.reduce((a, b) => a + b) / all.length);
      words.forEach(({ score }, i) => near(score, means[i]));
      equal(words.length, means.length);
    }
    equal((await t.translate("Hello.")).words, undefined);
  },
  async "alignment links characters"({ t, lines }) {
    const texts = ["\u{1f600} \u201eThis is a good book.\u201c It is \u00c4.",
      lines.slice(0, 80).join(" "), ...lines];
    const all = await t.translateAll(texts, { alignment: true, sentences: false });
    const pairs = new Set();
    all.forEach(({ text, tokens, alignment }, i) => {
      equal(alignment.length >= tokens.length, true);
      for (const { target, source } of alignment) {
        pairs.add(`${texts[i].slice(...source)} ${text.slice(...target)}`);
      }
    });
    for (const pair of ["book Buch", "house Haus"]) equal(pairs.has(pair), true, pair);
    for (const i of [0, 1, 5]) {
      const one = await t.translate(texts[i], { alignment: true, attention: "cross" });
      equal([one.alignment, one.parts > 1], [all[i].alignment, i === 1]);
      if (one.parts > 1) {
        const { target, source } = one.alignment.at(-2);  // Before EOS.
        equal([target[1], source[0] > texts[i].length * 0.75], [one.text.length, true]);
        continue;
      }
      const { sourcePieces, targetPieces } = one.attention;
      const words = new Set([
        "", "\u{1f600}", ...sourcePieces.map((piece) => piece.replace("\u2581", ""))]);
      let at = 0;  // What is kept and stands at no token has a link, too.
      one.alignment.forEach(({ target, source }) => {
        const found = one.text.slice(...target);
        if (found === "\u{1f600}") {
          equal(texts[i].slice(...source), found);
        } else {
          const piece = targetPieces[at++].replace("\u2581", "");
          if (found !== "") equal(found, piece);
        }
        const from = texts[i].slice(...source);
        equal(words.has(from), true, from);
      });
    }
    equal((await t.translate("Hello.")).alignment, undefined);
    const kept = await t.translate("Hi {n}.", { alignment: true, protect: true });
    equal(kept.alignment.some(({ target }) => kept.text.slice(...target) === "{n}"), true);
  },
  async "hypotheses are the best translations"({ t, lines, source, options, Latimer }) {
    const own = await Latimer.load(source, { ...options, beams: 4 });
    const settings = { beams: 4, nBest: 3, lengthPenalty: 1, scores: true };
    for (const one of await own.translateAll(lines.slice(0, 5), settings)) {
      equal(one.hypotheses.length, 3);
      equal([one.hypotheses[0].text, one.hypotheses[0].tokens], [one.text, one.tokens]);
      near(one.hypotheses[0].score, one.meanScore);
      equal(new Set(one.hypotheses.map(({ text }) => text)).size, 3);
      for (const i of [1, 2]) equal(one.hypotheses[i].score <= one.hypotheses[i - 1].score, true);
    }
    const smile = await own.translate("I am here 😀.", settings);
    equal(smile.hypotheses.map(({ text }) => text.split("😀").length), [2, 2, 2]);
    own.close();
    const greedy = await t.translate(lines[0], { nBest: 1 });
    equal(greedy.hypotheses, [{ text: greedy.text, tokens: greedy.tokens, score: 0 }]);
    await fails(() => t.translate("Hello.", { nBest: 3 }), /nBest 3 needs/, "TypeError");
  },
  async "what a translation tells is what the program tells"({ t, lines, told }) {
    if (told === undefined) return;  // In browsers.
    for (const [i, expected] of told.entries()) {
      const one = await t.translate(lines[i], { scores: true });
      near(one.meanScore, expected.mean_score);
      equal(one.words.map(({ text }) => text), expected.words.map(({ text }) => text));
      one.words.forEach(({ score }, at) => near(score, expected.words[at].score));
    }
  },
  async "drawn tokens depend on the seed and on nothing else"({ t, lines }) {
    const some = lines.slice(0, 8);
    const drawn = async (options) =>
      (await t.translateAll(some, options)).map(({ text }) => text);
    const first = await drawn({ sample: true, seed: 1 });
    equal(await drawn({ temperature: 1, seed: 1 }), first);
    equal((await t.translate(some[0], { sample: true, seed: 1 })).text, first[0]);
    for (const others of [{}, { sample: true, seed: 2 }, { topK: 2 }, { topP: 0.5 }, { minP: 0.2 }]) {
      const found = await drawn(others);
      if (String(found) === String(first)) throw new Error("the same were drawn");
    }
    equal(await drawn({ topK: 1, seed: 9 }), await drawn({}));
  },
  async "parts are drawn and limited as the program does"({ t, run }) {
    const texts = [kLong, "Good morning.", kLong];
    const options = { sample: true, seed: 4 };
    const whole = await t.translateAll(texts, options);
    const [first, , last] = whole.map(({ generatedTokens }) => generatedTokens);
    const budgetTokens = Math.min(first, last) - 5;  // Ends each long text in its last part.
    const all = await t.translateAll(texts, { ...options, budgetTokens });
    equal(all.map(({ stopReason }) => stopReason), ["budget", "eos", "budget"]);
    equal([all[0].parts > 1, all[2].text === all[0].text], [true, false]);
    const one = await t.translate(kLong, { ...options, budgetTokens });
    equal([one.text, one.stopReason, one.parts], [all[0].text, "budget", all[0].parts]);
    const late = await t.translateAll([kLong.repeat(40)], { budgetMs: 20 });
    equal(late[0].stopReason, "budget");
    if (run === undefined) return;  // In browsers.
    const words = ["--sample", "--seed", "4"];
    equal(whole.map(({ text }) => text), run(texts, ...words));
    equal(all.map(({ text }) => text), run(texts, ...words, "--budget-tokens", budgetTokens));
  },
  async "protected ranges are those of the whole text"({ t }) {
    const names = Array.from({ length: 200 }, (_, i) => `ACME-\u00dc${100 + i}`);
    const text = names.map((name) => `I read ${name} today.`).join(" ");
    const protectedRanges = names.map((name) => {
      const at = text.indexOf(name);
      return [at, at + name.length];
    });
    const found = await t.translate(text, { protectedRanges });
    equal(found.parts > 1, true);
    for (const name of names) equal(found.text.split(name).length, 2, name);
    for (const wrong of [[[5, 3]], [[0, text.length + 1]], [[9, 12], [0, 3]]]) {
      await fails(() => t.translate(text, { protectedRanges: wrong }), /protected range/);
    }
    await fails(() => t.translate("I see \u{1f600}.", { protectedRanges: [[6, 7]] }), /cuts/);
    await fails(() => t.translateAll([text], { protectedRanges }), /one text/, "TypeError");
  },
  async "protected spans come out"({ t }) {
    const text = "Tom has {name} at https://host.org/a?b=c for %d days.";
    const translation = (await t.translate(text, { protect: true })).text;
    for (const span of ["{name}", "https://host.org/a?b=c", "%d"]) {
      equal(translation.split(span).length, 2, span);
    }
  },
  async "a model without the target's tokenizer refuses its texts"(
    { withoutTarget, options, Latimer }) {
    if (withoutTarget === undefined) return;  // In browsers.
    const t = await Latimer.load(withoutTarget, options);
    for (const what of [
      { terms: { house: "Geb\u00e4ude" } }, { targetPrefix: "Ich" }, { bannedWords: ["Haus"] },
    ]) {
      await fails(() => t.translate("My house.", what), /--no-target-tokenizer/);
    }
    t.close();
  },
  async "terms, prefixes and banned words"({ t }) {
    const text = "Tom has a new house.";
    const terms = { house: "Geb\u00e4ude", Tom: "Thomas" };
    const plain = (await t.translate(text)).text;
    const { text: forced } = await t.translate(text, { terms });
    equal([forced.includes("Geb\u00e4ude"), forced.includes("Thomas")], [true, true], forced);
    const long = await t.translate(kLong, { targetPrefix: "Ameise" });
    equal([long.text.startsWith("Ameise"), long.text.split("Ameise").length], [true, 2]);
    equal((await t.translateAll([kLong], { targetPrefix: "Ameise" }))[0].text, long.text);
    const banned = plain.replace(".", "").split(" ").at(-1);
    const { text: other } = await t.translate(text, { bannedWords: [banned] });
    equal(other.split(/[ .]/).includes(banned), false, other);
    await fails(
      () => t.translate(text, { bannedWords: Array(300).fill("Haus") }), /too many banned/);
    await fails(
      () => t.translate(text, { terms: { a: "b".repeat(20000) } }), /too many|too long/);
  },
  async "any text is translated"({ t }) {
    for (const text of ["", " ", "\0", "🎉".repeat(50), "\ud800", "x".repeat(20000)]) {
      equal(typeof (await t.translate(text)).text, "string");
    }
    equal(await t.translateAll([]), []);
  },
  async "ids are those of the tokenizer"({ t, fixture }) {
    for (const { source_text, source } of fixture) {
      equal(await t.tokenize(source_text), source);
    }
  },
  async "what a model refuses is one sentence"({ t, texts }) {
    await fails(() => t.translate("Hello.", { targetLang: "deu_Latn" }), /no target language/);
    await fails(() => t.translate("Hello.", { colour: 1 }), /colour is no option/, "TypeError");
    await fails(() => t.translate("Hello.", { beams: "4" }), /beams/, "TypeError");
    await fails(() => t.translate("Hello.", { topP: 1.5 }), /^topP 1.5: give a num/, "TypeError");
    await fails(() => t.translate("Hello.", { earlyStopping: "soon" }), /never/, "TypeError");
    await fails(() => t.translate("Hello.", { task: "x".repeat(5000) }), /task is too long/);
    await fails(() => t.translate("Hello.", { seed: 4 }), /seed is for tokens that are drawn/);
    await fails(() => t.translate("Hello.", { lengthPenalty: 2 }), /give beams, too/);
    equal((await t.translate("Good morning.")).text, texts["Good morning."]);
  },
  async "a wrong type is a TypeError that says what to give"({ t, source, options, Latimer, texts }) {
    for (const [work, pattern] of [
      [() => t.translate(undefined), /^text: give a string, not undefined\.$/],
      [() => t.translate(null), /^text: give a string, not null\.$/],
      [() => t.translate(["Hi."]), /^text: give a string, not an array\.$/],
      [() => t.tokenize(5), /^text: give a string, not number\.$/],
      [() => t.stream({}).next(), /^text: give a string, not object\.$/],
      [() => t.translateParagraphs().next(), /^text: give a string/],
      [() => t.translateAll("Hi."), /^texts: give a list of strings, not string\.$/],
      [() => t.translateAll(), /^texts: give a list of strings, not undefined\.$/],
      [() => t.translateAll(["Hi.", 5]), /^texts\[1\]: give a string, not number\.$/],
      [() => t.translate("Hi.", null), /^options: give an object, not null\.$/],
      [() => t.translate("Hi.", "beams"), /^options: give an object, not string\.$/],
      [() => t.translate("Hi.", { scores: "no" }), /^scores: give true or false, not string\.$/],
      [() => t.translate("Hi.", { beams: "4" }), /^beams: give a number, not string\.$/],
      [() => t.translate("Hi.", { nBest: "4" }), /^nBest: give a number, not string\.$/],
      [() => t.translate("Hi.", { prefix: 4 }), /^prefix: give a string, not number\.$/],
      [() => t.translate("Hi.", { bannedWords: "a" }), /^bannedWords: give an array of strings/],
      [() => t.translate("Hi.", { terms: { a: 5 } }), /^terms: give strings, not number\.$/],
      [() => Latimer.load(undefined, options), /^source: give a URL, a path, .*, not undefined/],
      [() => Latimer.load(5, options), /^source: give a URL, a path, .*, not number/],
      [() => Latimer.load(source, { ...options, lanes: "4" }), /^lanes: give a number/],
      [() => Latimer.load(source, { ...options, lane: 4 }), /^lane is no option of/],
    ]) {
      await fails(work, pattern, "TypeError");
    }
    const texts3 = new Set(["Good morning."]);  // Any iterable will do.
    equal((await t.translateAll(texts3))[0].text, texts["Good morning."]);
  },
  async "a call after close says so"({ Latimer, source, options }) {
    const own = await Latimer.load(source, options);
    own.close();
    own.close();
    for (const work of [
      () => own.translate("Hi."), () => own.translateAll(["Hi."]), () => own.tokenize("Hi."),
      () => own.stream("Hi.").next(), () => own.translateParagraphs("Hi.").next(),
    ]) {
      await fails(work, /^The model is closed; load it again\.$/);
    }
  },
  async "a file is found from the working directory"({ Latimer, inNode, options, texts }) {
    if (inNode === undefined) return;  // In browsers.
    for (const worker of [false, true]) {
      const own = await Latimer.load(inNode, { ...options, worker });
      equal((await own.translate("Good morning.")).text, texts["Good morning."]);
      own.close();
    }
    await fails(() => Latimer.load("none.ltm", options), /ENOENT/, "Error");
  },
  async "a file for the PC is refused with the command for both"({ Latimer, forPc, options }) {
    if (forPc === undefined) return;  // In browsers.
    for (const worker of [false, true]) {
      await fails(() => Latimer.load(forPc, { ...options, worker }),
        /tile 8x8; .*for the PC: latimer-convert MODEL -o model\.ltm --board wasm32$/);
    }
  },
  async "a file that is no model is refused"({ Latimer, bytes, options }) {
    const text = new TextEncoder().encode("hello ".repeat(100));
    await fails(() => Latimer.load(text, options), /not a Latimer model/);
    const damaged = bytes.slice();
    damaged[damaged.length >> 1] ^= 1;
    await fails(() => Latimer.load(damaged, options), /damaged|checksum|corrupt/i);
    await fails(() => Latimer.load(bytes.slice(0, 100000), options), /truncated|ends|incomplete/i);
  },
  async "the memory does not grow while it translates"({ t, lines }) {
    const before = t.info.memoryBytes;
    await t.translateAll(lines);
    equal(t.info.memoryBytes, before);
  },
};

// Milliseconds a sentence, the best of three passes.
export async function measure({ t, lines }) {
  const best = { "one by one": Infinity, "side by side": Infinity };
  for (let pass = 0; pass < 3; ++pass) {
    let begin = performance.now();
    for (const line of lines) await t.translate(line);
    best["one by one"] = Math.min(
      best["one by one"], (performance.now() - begin) / lines.length);
    begin = performance.now();
    await t.translateAll(lines);
    best["side by side"] = Math.min(
      best["side by side"], (performance.now() - begin) / lines.length);
  }
  return best;
}

export async function runChecks(context, some = checks) {
  const results = [];
  for (const [name, check] of Object.entries(some)) {
    try {
      await check(context);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: String(error.stack ?? error) });
    }
  }
  return results;
}
