// What latimer.d.ts promises, for the TypeScript compiler; nothing runs.
import { Latimer, LatimerError, Pivot, Transcriber } from "latimer";
import { convert } from "latimer/converter";
import { Microphone } from "latimer/microphone";
import type {
  Attention, Hypothesis, ModelInfo, NumberCheck, Portion, Segment, StopReason, TokenLink, Transcript, Translation,
  WordScore,
} from "latimer";

export async function uses(file: File, module: WebAssembly.Module) {
  const controller = new AbortController();
  const t: Latimer = await Latimer.load(new URL("en-de.ltm", "https://host.example/"), {
    lanes: 4,
    beams: 4,
    worker: true,
    workers: 2,
    sharedWasm: "latimer_shared.wasm",
    wasm: "latimer.wasm",
    signal: controller.signal,
    onProgress: (loaded: number, total: number) => void [loaded, total],
  });
  await Latimer.load(file);
  await Latimer.load(await file.arrayBuffer(), { worker: false, wasm: module });
  await Latimer.load(new Uint8Array(8));
  const { model, report, warnings } = await convert([["config.json", file]], {
    name: "mine",
    args: ["--weights", "f32"],
    onProgress: (step: string, percent: number) => void [step, percent],
  });
  await Latimer.load(model);
  void [report, warnings];
  const info: ModelInfo = t.info;
  const codes: string[] = info.languages;
  const workers: number = info.workers;

  const one: Translation = await t.translate("Hello.", {
    sourceLang: codes[0],
    beams: 1,
    earlyStopping: "never",
    attention: "cross",
    scores: true,
    alignment: true,
    nBest: 1,
    targetPrefix: "Ich",
    bannedWords: ["Haus"],
    terms: { house: "Haus" },
    protect: true,
    sample: true,
    temperature: 1.5,
    topK: 10,
    topP: 0.9,
    minP: 0.05,
    seed: 1,
  });
  const reason: StopReason = one.stopReason;
  const attention: Attention | undefined = one.attention;
  const weights: Float32Array | undefined = attention?.weights;
  const scores: number[] | undefined = one.scores;
  const mean: number | undefined = one.meanScore;
  const words: WordScore[] = one.words ?? [];
  const links: TokenLink[] = one.alignment ?? [];
  const spans: string[] = links.map(({ source }) => "Hello.".slice(...source));
  const best: Hypothesis | undefined = one.hypotheses?.[0];
  void [mean, words, spans, best?.text, best?.score];

  const all: Translation[] = await t.translateAll(new Set(["Hello.", "Bye."]));
  const stream = t.stream("Hello.", { signal: controller.signal });
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) {
      const end: Translation = step.value;
      void end;
      break;
    }
    const soFar: string = step.value;
    void soFar;
  }
  for await (const portion of t.translateParagraphs("One. Two.")) {
    const { text, source, line, cut }: Portion = portion;
    void [text, source, line, cut];
  }
  const html: string = await t.translateHtml("<p>Hello.</p>", { beams: 1 });
  const numbers: NumberCheck = await t.checkNumbers("Hello.", html);
  const pivot: Pivot = new Pivot(t, t);
  const twice: Translation = await pivot.translate("Hello.");
  void [numbers.missing, pivot.first.info, twice];
  const ids: number[] = await t.tokenize("Hello.");
  t.close();
  try {
    await t.translate("Hello.");
  } catch (error) {
    if (error instanceof LatimerError) {
      const code: string = error.code;
      void [error.message, code];
    }
  }
  void [reason, weights, scores, all, ids, workers];

  const transcriber: Transcriber = await Transcriber.load(file, { signal: controller.signal });
  const transcript: Transcript = await transcriber.transcribe(new Float32Array(16000), {
    language: "en",
    task: "transcribe",
    sampleRate: 16000,
    prompt: "Bees.",
    timestamps: true,
    conditionOnPreviousText: true,
    fallback: true,
    shortWindow: false,
    maxTokens: 100,
  });
  for await (const segment of transcriber.stream(file)) {
    const { start, end, text, tokens, avgLogprob, language }: Segment = segment;
    void [start + end, text, tokens[0], avgLogprob, language];
  }
  const microphone: Microphone = await Microphone.open({ deviceId: "default" });
  for await (const samples of microphone.speech()) {
    await transcriber.transcribe(samples, { sampleRate: microphone.sampleRate });
    microphone.stop();
  }
  transcriber.close();
  void transcript.segments;

  // What the types refuse.
  // @ts-expect-error load() makes models.
  new Latimer();
  // @ts-expect-error Workers are a number.
  await Latimer.load(file, { workers: true });
  // @ts-expect-error A text is a string.
  await t.translate(1);
  // @ts-expect-error There is no such option.
  await t.translate("Hello.", { beam: 4 });
  // @ts-expect-error It has one worker.
  await Transcriber.load(file, { workers: 2 });
  // @ts-expect-error Nor is this an option of a transcription.
  await transcriber.transcribe(file, { beams: 4 });
  // @ts-expect-error There is no such reason.
  const other: StopReason = "end";
  // @ts-expect-error A model's info is read only.
  t.info = info;
  void other;
}
