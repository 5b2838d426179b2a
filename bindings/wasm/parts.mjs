// The parts of a text's translation, as engine.mjs gets them, and their sum.

export const kStopReasons = ["eos", "length_limit", "loop", "budget", "cancelled"];

// For each position in UTF-8, how many UTF-16 units come before it.
function unitsBefore(bytes) {
  const units = new Uint32Array(bytes.length + 1);
  bytes.forEach((byte, i) => {
    units[i + 1] = units[i] + ((byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1);
  });
  return units;
}

// Links of tokens, four positions in UTF-8 each, as { links } of UTF-16 units, and
// the { units } of the source.
export function linkUnits(ends, target, source) {
  const [to, from] = [unitsBefore(target), unitsBefore(source)];
  const links = [];
  for (let i = 0; i < ends.length; i += 4) {
    links.push({
      target: [to[ends[i]], to[ends[i + 1]]],
      source: [from[ends[i + 2]], from[ends[i + 3]]],
    });
  }
  return { links, units: from[source.length] };
}

const worstReason = (parts) =>
  Math.max(0, ...parts.map(({ stopReason }) => kStopReasons.indexOf(stopReason)));

// Each is made of the hypotheses of the same rank of all parts; a part that has
// fewer repeats its last one.
function joinHypotheses(parts) {
  const most = Math.max(...parts.map(({ hypotheses }) => hypotheses.length));
  return Array.from({ length: most }, (_, rank) => {
    const ofRank = parts.map(({ hypotheses }) => hypotheses[Math.min(rank, hypotheses.length - 1)]);
    return {
      text: ofRank.map(({ text }, i) => text + spaceAfter(parts, i)).join(""),
      tokens: ofRank.flatMap(({ tokens }) => tokens),
      score: ofRank.reduce((sum, { score }) => sum + score, 0),
    };
  });
}

const spaceAfter = (parts, i) => (i < parts.length - 1 ? parts[i].space : "");

// The translation of a text.
export function joinParts(parts) {
  const last = parts.at(-1);
  const result = {
    text: "",
    tokens: parts.flatMap(({ tokens }) => tokens),
    source: parts.flatMap(({ source }) => source),
    stopReason: kStopReasons[worstReason(parts)],
    parts: parts.length,
    generatedTokens: parts.reduce((sum, part) => sum + part.generatedTokens, 0),
  };
  if (last.scores) {
    result.scores = parts.flatMap(({ scores }) => scores);
    result.meanScore = result.scores.length > 0
      ? result.scores.reduce((a, b) => a + b) / result.scores.length : 0;
    result.words = parts.every(({ words }) => words) ? parts.flatMap(({ words }) => words) : [];
  }
  const alignment = [];
  let from = 0;
  parts.forEach((part, i) => {
    const to = result.text.length;
    for (const { target, source } of part.links ?? []) {
      alignment.push({
        target: target.map((unit) => unit + to), source: source.map((unit) => unit + from),
      });
    }
    from += part.units;
    result.text += part.text + spaceAfter(parts, i);
  });
  if (last.links) result.alignment = alignment;
  if (last.hypotheses) result.hypotheses = joinHypotheses(parts);
  if (last.attention && parts.length === 1) result.attention = last.attention;
  return result;
}
