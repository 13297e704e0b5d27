/** A part of a message, ready for the rules. */
export interface Clause {
  /** Without courtesies and closing punctuation. */
  text: string;
  /** Without courtesies in front, but with its ending: for rules that end in literal content ("… with hello!"). */
  full: string;
}

const request = /^(?:can|could|would|will) you\s+/i;

const openings = [
  request,
  /^(?:please|pls|kindly|now|okay|ok|so|hey|first|finally|next)(?=[\s,:])[\s,:]*/i,
  /^(?:i want|i need|i['’]d like|i would like)(?: you)? to\s+/i,
  /^(?:help me to|help me|let['’]s|go ahead and|tell me|do you know|i want to know)\s+/i,
  /^(?:请问|请你|请|麻烦你|麻烦|能不能|能否|你能|可以|可否|帮我|帮忙|给我|告诉我|我想知道|我想|看看(?=现在|今天)|我要|首先|先)[\s，,]*/,
];

const endings = [
  /[\s,](?:please|for me|thanks|thank you|right now)$/i,
  /(?:谢谢你?|好吗|可以吗|行吗|吧|吗|呢|呀|啊|一下)$/,
];

const closing = new Set(' \t\r\n,.;:!?~，。；：！？、…');

/** A message may begin with several courtesies ("hey, could you please …"); this bounds the loop that removes them. */
const maxCourtesies = 6;

/** Removes the courtesies and the closing punctuation. */
export function toClause(raw: string): Clause {
  const trimmed = raw.trim();
  const body = withoutOpenings(trimmed);
  const isRequest = request.test(trimmed) && /[?？]$/.test(body);
  return { text: withoutEndings(body), full: isRequest ? body.slice(0, -1) : body };
}

function withoutOpenings(text: string): string {
  return untilStable(text, (rest) => openings.reduce((left, pattern) => left.replace(pattern, ''), rest));
}

function withoutEndings(text: string): string {
  return untilStable(text, (rest) =>
    endings.reduce((left, pattern) => left.replace(pattern, ''), withoutClosing(rest)),
  );
}

function untilStable(text: string, step: (text: string) => string): string {
  let rest = text;
  for (let round = 0; round < maxCourtesies; round++) {
    const next = step(rest);
    if (next === rest) break;
    rest = next;
  }
  return rest;
}

/** A loop, because `/[…]+$/` starts over at every character of a long run. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (end > 0 && closing.has(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
