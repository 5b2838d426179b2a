// What is checked of several workers, in Node and in browsers: checks as those
// of checks.mjs, for { Latimer, Engine, ... }.
import { digest, equal, fails, kLong } from "./checks.mjs";

const canShare = globalThis.crossOriginIsolated ?? true;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Calls `use` with a model in `workers` workers.
async function withWorkers({ Latimer, source }, workers, use) {
  const t = await Latimer.load(source, { workers });
  try {
    equal(t.info.workers, canShare ? workers : 1, "workers");
    await use(t);
  } finally {
    t.close();
  }
}

// Of all pages: those that are not isolated have one worker.
const checks = {
  async "two workers give the published ids"(context) {
    const { lines, published } = context;
    await withWorkers(context, 2, async (t) => {
      equal(await digest(await t.translateAll(lines, { sentences: false })), published);
      equal(await digest(await Promise.all(lines.map((line) => t.translate(line, { sentences: false })))), published);
    });
  },
  async "two workers draw the tokens of one"(context) {
    const some = context.lines.slice(0, 9);
    const options = { sample: true, seed: 5 };
    const expected = await digest(await context.t.translateAll(some, options));
    await withWorkers(context, 2, async (t) => {
      equal(await digest(await t.translateAll(some, options)), expected);
      equal(await t.translateAll([]), []);
      equal((await t.translateAll(["Good morning."]))[0].text, context.texts["Good morning."]);
    });
  },
  async "two workers give the errors of one"(context) {
    await withWorkers(context, 2, async (t) => {
      await fails(() => t.translateAll(["Hello.", "Bye."], { targetLang: "deu_Latn" }),
        /no target language/);
      await fails(() => t.translateAll(["Hello.", "Bye."], { colour: 1 }), /colour/, "TypeError");
      equal((await t.translateAll(["Good morning.", "Good morning."])).map(({ text }) => text),
        Array(2).fill(context.texts["Good morning."]));
    });
    const { Latimer, source, bytes } = context;
    const damaged = bytes.slice();
    damaged[damaged.length >> 1] ^= 1;
    await fails(() => Latimer.load(damaged, { workers: 2 }), /damaged|checksum|corrupt/i);
    await fails(() => Latimer.load(source, { workers: 0 }), /workers/, "TypeError");
    await fails(() => Latimer.load(source, { workers: 2, worker: false }), /workers/, "TypeError");
  },
  async "a signal ends what all workers do"(context) {
    const { Latimer, source } = context;
    await fails(() => Latimer.load(source, { workers: 2, signal: AbortSignal.abort() }),
      /abort/i, "AbortError");
    await withWorkers(context, 2, async (t) => {
      const abort = new AbortController();
      const work = t.translateAll(Array(40).fill(kLong), { signal: abort.signal });
      setTimeout(() => abort.abort(), 50);
      const begin = performance.now();
      await fails(() => work, /abort/i, "AbortError");
      equal((await t.translateAll(["Good morning.", "Hello."]))[0].text, context.texts["Good morning."]);
      if (performance.now() - begin > 5000) throw new Error("it went on");
      await fails(() => t.translateAll(["A", "B"], { signal: abort.signal }),
        /abort/i, "AbortError");
    });
  },
  async "to close ends all calls"(context) {
    await withWorkers(context, 2, async (t) => {
      const works = [t.translate(kLong), t.translate(kLong), t.translateAll([kLong, kLong])];
      const ends = works.map((work) => fails(() => work, /closed/));
      t.close();
      await Promise.all(ends);
      await fails(() => t.translate("Hello."), /closed/);
      await fails(() => t.translateAll(["Hello.", "Bye."]), /closed/);
    });
  },
};

// Where memory can be shared.
const sharedChecks = {
  async "a short text does not wait for a long one"(context) {
    await withWorkers(context, 2, async (t) => {
      let ended = false;
      const abort = new AbortController();
      const long = t.translate(kLong.repeat(100), { signal: abort.signal })
        .then(() => { ended = true; }, () => {});
      equal((await t.translate("Good morning.")).text, context.texts["Good morning."]);
      equal((await t.translateAll(["Good morning.", "Hello."])).length, 2);
      equal(ended, false);
      abort.abort();
      await long;
    });
  },
  async "workers share one copy of the model"(context) {
    const bytes = [];
    let info;
    for (const workers of [2, 3]) {
      await withWorkers(context, workers, async (t) => {
        info = t.info;
        bytes.push(info.memoryBytes);
        await t.translateAll(context.lines.slice(0, 20));
        equal(t.info.memoryBytes, bytes.at(-1));
      });
    }
    const own = bytes[1] - bytes[0] - info.workspaceBytes;
    if (own < 65536 || own > 2e6) throw new Error(`a worker has ${own} bytes of its own`);
  },
  async "memory that cannot be reserved is smaller, or is not shared"({ shared }) {
    const { sharedMemory } = await import(shared.engine);
    const { Memory } = WebAssembly;
    const within = (most) => {
      WebAssembly.Memory = function (type) {
        if (type.maximum > most) throw new RangeError("could not allocate memory");
        return new Memory(type);
      };
      try {
        return sharedMemory();
      } finally {
        WebAssembly.Memory = Memory;
      }
    };
    equal(within(0), undefined);
    const memory = within(1000);
    memory.grow(300);
    await fails(() => memory.grow(600), /./, "RangeError");
  },
  async "engines write nothing but memory of their own"({ Engine, shared, bytes, lines, published }) {
    const { sharedMemory } = await import(shared.engine);
    const memory = sharedMemory();
    const first = await Engine.load(shared.module, [bytes], bytes.length, {}, memory);
    const copy = () => new Uint8Array(memory.buffer).slice();
    const changes = (before, begin, end) => {
      const now = new Uint8Array(memory.buffer);
      for (let at = begin; at < end; ++at) {
        if (now[at] !== before[at]) return `byte ${at} has changed`;
      }
      return "";
    };
    await first.translateAll(lines.slice(0, 20));
    const before = copy();
    const second = await Engine.join(first.shared);
    equal(await digest(await second.translateAll(lines, { sentences: false })), published);
    equal(changes(before, 0, before.length), "");
    const both = copy();
    equal(await digest(await first.translateAll(lines, { sentences: false })), published);
    equal(changes(both, before.length, both.length), "");
    equal(changes(both, 0, before.length) === "", false, "the first has written nothing:");
    const middle = bytes.length >> 1;
    let found = 0;
    for (let at = 0; at + 64 <= both.length; at += 4) {
      let same = 0;
      while (same < 64 && both[at + same] === bytes[middle + same]) ++same;
      if (same === 64) ++found;
    }
    equal(found, 1, "copies of the model");
  },
};

// Sentences a second of translateAll, the best of three passes, by workers.
export async function measureWorkers({ Latimer, source, lines }) {
  const best = {};
  for (const workers of [1, 2]) {
    const t = await Latimer.load(source, { workers, worker: true });
    best[t.info.workers] = 0;
    for (let pass = 0; pass < 4; ++pass) {
      const begin = performance.now();
      await t.translateAll(lines);
      const rate = lines.length / (performance.now() - begin) * 1000;
      best[t.info.workers] = Math.max(best[t.info.workers], rate);
    }
    t.close();
    await pause(100);
  }
  return best;
}

export const workerChecks = canShare ? { ...checks, ...sharedChecks } : checks;
