// node speech_test.mjs FOLDER CONVERT PROGRAM MODEL ROOT: latimer_speech.wasm with
// random Whispers that hear two seconds at once. CONVERT and PROGRAM are
// latimer-convert and `latimer` of this machine, MODEL translates.
// Tests bindings/wasm/speech_module.cc.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { equal, fails, near } from "./checks.mjs";

const [folder, convert, program, textModel, root] =
  process.argv.slice(2).map((word) => resolve(word));
const { Latimer, Transcriber } = await import(pathToFileURL(`${folder}/latimer.mjs`));
const { PauseCutter } = await import(pathToFileURL(`${folder}/microphone.mjs`));
const kRate = 16000;
const work = mkdtempSync(join(tmpdir(), "latimer-"));
const models = {};
for (const name of ["english", "languages"]) {
  models[name] = join(work, `${name}.ltm`);
  execFileSync(convert, [`${root}/tests/data/tiny_whisper/${name}`, "-o", models[name],
    "--board", "wasm32", "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
}

// Tones of half a second with pauses between, as PCM of 16 bits.
const pcm = (seconds) => Int16Array.from({ length: seconds * kRate }, (_, i) =>
  Math.floor(i / (kRate / 2)) % 2 === 0 ? (i * 137) % 20000 - 10000 : 0);
const samplesOf = (sound) => Float32Array.from(sound, (sample) => sample / 32768);
function wav(sound) {
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  header.writeUInt32LE(36 + sound.byteLength, 4);
  header.writeUInt32LE(16, 16);
  [1, 1].forEach((value, i) => header.writeUInt16LE(value, 20 + 2 * i));
  [kRate, 2 * kRate].forEach((value, i) => header.writeUInt32LE(value, 24 + 4 * i));
  [2, 16].forEach((value, i) => header.writeUInt16LE(value, 32 + 2 * i));
  header.writeUInt32LE(sound.byteLength, 40);
  return Buffer.concat([header, Buffer.from(sound.buffer)]);
}
const kSound = wav(pcm(5));
const kFile = join(work, "long.wav");
writeFileSync(kFile, kSound);
// What random weights write is too unlikely otherwise.
const kOptions = { fallback: false };

// What the program writes for the file.
const told = (model, ...options) => execFileSync(
  program, ["transcribe", model, kFile, "--json", "--no-fallback", ...options],
  { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim().split("\n").map((line) => JSON.parse(line));

function same(found, expected) {
  equal(found.map(({ tokens }) => tokens), expected.map(({ tokens }) => tokens));
  found.forEach((segment, i) => {
    equal(segment.text.trim(), expected[i].text.trim());
    for (const [ours, theirs] of [["start", "start"], ["end", "end"], ["avgLogprob", "avg_logprob"],
      ["noSpeechProb", "no_speech_prob"], ["compressionRatio", "compression_ratio"]]) {
      near(segment[ours], expected[i][theirs]);
    }
    equal(segment.language, expected[i].language ?? "");
  });
}

async function using(model, work, options = {}) {
  const transcriber = await Transcriber.load(model, options);
  try {
    await work(transcriber);
  } finally {
    transcriber.close();
  }
}

const checks = {
  async "the segments are those of the program"() {
    for (const options of [{}, { worker: true }, { wasm: `${folder}/latimer_speech.wasm` }]) {
      await using(models.languages, async (t) => {
        const { text, segments } = await t.transcribe(kSound, kOptions);
        same(segments, told(models.languages));
        equal(text, segments.map((segment) => segment.text).join("").trim());
        same((await t.transcribe(kSound, { ...kOptions, task: "translate", language: "de" })).segments,
          told(models.languages, "--task", "translate", "--language", "de"));
      }, options);
    }
  },
  async "samples, bytes, a path and a Blob give the same"() {
    await using(models.english, async (t) => {
      const expected = told(models.english);
      for (const sound of [samplesOf(pcm(5)), kSound, new Uint8Array(kSound).buffer, kFile,
        pathToFileURL(kFile), new Blob([kSound])]) {
        same((await t.transcribe(sound, kOptions)).segments, expected);
      }
    });
  },
  async "every option of the program is one"() {
    await using(models.english, async (t) => {
      for (const [options, words] of [
        [{ timestamps: false }, ["--no-timestamps"]],
        [{ conditionOnPreviousText: false }, ["--no-previous-text"]],
        [{ shortWindow: true }, ["--window", "auto"]],
        [{ prompt: "Of bees" }, ["--prompt", "Of bees"]],
      ]) {
        same((await t.transcribe(kSound, { ...kOptions, ...options })).segments,
          told(models.english, ...words));
      }
      const { segments } = await t.transcribe(kSound, { ...kOptions, timestamps: false, maxTokens: 2 });
      equal(segments.every(({ tokens }) => tokens.length <= 2), true);
    });
  },
  async "samples at another rate are resampled"() {
    await using(models.english, async (t) => {
      const twice = Float32Array.from(samplesOf(pcm(5)).subarray(0, kRate));
      const { segments } = await t.transcribe(twice, { ...kOptions, sampleRate: 2 * kRate });
      equal(segments.every(({ end }) => end <= 0.5), true);
      await fails(() => t.transcribe(twice, { sampleRate: 96000 }), /may have 8000 to 48000/);
    });
  },
  async "a stream gives each segment, and ends where the loop does"() {
    await using(models.english, async (t) => {
      const found = [];
      for await (const segment of t.stream(kSound, kOptions)) found.push(segment);
      same(found, told(models.english));
      for await (const segment of t.stream(kSound, kOptions)) {
        same([segment], told(models.english).slice(0, 1));
        break;
      }
      same((await t.transcribe(kSound, kOptions)).segments, told(models.english));
    }, { worker: true });
  },
  async "silence is no text"() {
    await using(models.english, async (t) => {
      equal(await t.transcribe(new Float32Array(3 * kRate)), { text: "", segments: [] });
      equal(await t.transcribe(new Float32Array(0)), { text: "", segments: [] });
    });
  },
  async "what is no such sound or option is refused with a sentence"() {
    await using(models.english, async (t) => {
      for (const [sound, message] of [
        [new Uint8Array(100), /^The sound is no WAV file/],
        [kSound.subarray(0, 30), /^The WAV file ends before its samples begin/],
        [new Uint8Array(0), /^The sound is empty/],
      ]) {
        await fails(() => t.transcribe(sound), message);
      }
      same((await t.transcribe(kSound, kOptions)).segments, told(models.english));
      for (const [options, message] of [
        [{ beams: 2 }, /^beams is no option of a transcription\.$/],
        [{ prompt: 1 }, /^prompt: give a string, not number\.$/],
        [{ fallback: 1 }, /^fallback: give true or false, not number\.$/],
        [{ task: "sing" }, /^task sing: it is "transcribe" or "translate"\.$/],
        [{ maxTokens: -1 }, /^maxTokens -1: give a whole number from 1 on\.$/],
        [{ sampleRate: kRate }, /^sampleRate: it is of samples; a WAV has its own\.$/],
      ]) {
        await fails(() => t.transcribe(kSound, options), message, "TypeError");
      }
      await fails(() => t.transcribe(1), /^sound: give a URL/, "TypeError");
      await fails(() => t.transcribe(kSound, { language: "de" }), /^This model is of English alone/);
      await fails(() => t.transcribe(kSound, { prompt: "a".repeat(5000) }), /is too long\.$/);
      await fails(() => t.transcribe(kSound, { prompt: "a".repeat(70000) }), /is too long\.$/);
      await fails(
        () => t.transcribe(kSound, { signal: AbortSignal.abort() }), /abort/i, "AbortError");
      t.close();
      await fails(() => t.transcribe(kSound), /^The model is closed; load it again\.$/);
    });
  },
  async "a model of the other kind is refused"() {
    for (const worker of [true, false]) {
      await fails(() => Transcriber.load(textModel, { worker }), /^The model reads text instead of speech/);
      await fails(() => Latimer.load(models.english, { worker }),
        /^The model reads speech instead of text; load it with Transcriber\.load\(\)\.$/);
    }
    await fails(() => Transcriber.load(models.english, { workers: 2 }),
      /^workers is no option of Transcriber\.load\.$/, "TypeError");
    await fails(() => Transcriber.load(models.english, { wasm: `${folder}/latimer.wasm` }),
      /reads speech instead of text/);
  },
  // The microphone's, in blocks of a tenth of a second.
  async "speech is cut in pauses, and noise is no speech"() {
    const cutter = new PauseCutter();
    // `levels` in hundredths; the tenths of a second of what is said.
    const cut = (...levels) => levels.flat(2).map((level) => cutter.push(new Float32Array(10).fill(level / 100)))
      .filter(Boolean).map(({ length }) => length / 10);
    const times = (count, level) => Array(count).fill(level);
    equal(cut(times(100, 0)), []);
    equal(cut(times(100, 1)), []);                                      // A fan,
    equal(cut(times(20, 10), times(7, 1), times(5, 10), times(8, 1)), [43]);  // speech beside it,
    equal(cut(times(20, 1), times(2, 1.4), times(20, 1)), []);          // and a pause.
    equal(cut(times(300, [10, 4, 20])), [273, 290, 290]);               // Without any pause.
    equal([cutter.take().length, cutter.take(), cut(0, 20, 20), cutter.take().length],
      [500, null, [], 30]);
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  let error = null;
  try {
    await check();
  } catch (caught) {
    error = caught.stack ?? caught;
    ++failed;
  }
  console.log(`${error ? "FAILED" : "ok"}: ${name}${error ? `\n  ${error}` : ""}`);
}
rmSync(work, { recursive: true });
process.exit(failed > 0 ? 1 : 0);
