// What makes a terminal act, or show a text in another order than it has: C0, DEL and C1, the marks of bidirectional
// text, line and paragraph separators, and annotation marks.
const acting = String.raw`\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb`;
// They spell invisible text. Their only use is the flag of a region, behind a black flag.
const tags = String.raw`\u{e0000}-\u{e007f}`;
const flag = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`;

const controls = new RegExp(String.raw`\r\n|${flag}|[${acting}${tags}]`, 'gu');
const notInJson = new RegExp(`[${acting}${tags}]`, 'gu');
// What may be the beginning of a line end, a surrogate pair or a flag.
const unfinished = /(?:\r|[\ud800-\udbff]|\ud83c\udff4(?:\udb40(?:[\udc30-\udc7a]\udb40?)?)*)$/;

/**
 * Makes foreign text safe for a terminal: control characters, bidirectional marks and hidden tags become visible
 * escapes such as `\u001b`. Line ends, tabs and what scripts and emoji need (joiners, variation selectors) stay.
 *
 * A text may pass through it again: escapes are plain characters.
 */
export function printable(text: string): string {
  return text.replaceAll(controls, (found) => {
    if (found === '\r\n') return '\n';
    return found === '\n' || found === '\t' || found.startsWith('\u{1f3f4}') ? found : escaped(found);
  });
}

/** JSON that means the same, with all that {@link printable} escapes as escapes of JSON: for a terminal and for programs. */
export function printableJson(json: string): string {
  return json.replaceAll(notInJson, (found) =>
    found === '\n' || found === '\t' ? found : found.split('').map(escaped).join(''),
  );
}

/** Holds back the end of a piece of streamed text until the next piece shows what it is the beginning of. */
export class TextPieces {
  #held = '';

  /** Returns the text so far that can be judged. */
  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = unfinished.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - this.#held.length);
  }

  /** Returns what is held back, when no other piece comes. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** The escape of a character that a reader sees. */
function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** Made with the first text, and not a literal, which is read with its file: the sets of all emoji take 15 ms of a start. */
let hidden: RegExp | null = null;

/**
 * As `printable`, and each character that a terminal draws as nothing becomes visible, too: for text on which a person
 * decides. Emoji stay whole.
 */
export function unhidden(text: string): string {
  // `Cs` is half a surrogate pair; `DI` is all that Unicode calls ignorable, and a terminal draws as nothing.
  hidden ??= new RegExp(String.raw`(\p{RGI_Emoji})|[${acting}\p{DI}\p{Cs}]`, 'gv');
  return text.replaceAll(hidden, (found, emoji?: string) =>
    emoji !== undefined || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

/** `1 run`, `2 runs`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A time in ISO 8601; for a number that is no time, question marks of the same form. Never throws. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '????-??-??T??:??:??.???Z' : date.toISOString();
}

/** A duration as `90 s`, `12 min`, `3 h` or `7 days`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

/** When something is due, in so many milliseconds: "in 5 min", or "overdue by 5 min". */
export function dueIn(ms: number): string {
  return ms > 0 ? `in ${duration(ms)}` : ms > -1_000 ? 'now' : `overdue by ${duration(-ms)}`;
}

/** A text of at most so many characters; `…` stands for the rest. */
export function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;
}

/** The same on one line. */
export function oneLine(text: string, maxChars: number): string {
  return shortened(text.replaceAll(/\s+/g, ' ').trim(), maxChars);
}

/** A name, a path or another word from outside in a message: in quotes and short, because it may be anything. */
export function quoted(text: string, maxChars = 200): string {
  return JSON.stringify(shortened(text, maxChars));
}

/** Text as one word of a POSIX shell, in single quotes where that is necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Letters left out, put in, changed, or swapped with their neighbour: optimal string alignment, one row at a time.
 * https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(isSwapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `; did you mean "list"?`, for the end of a sentence about a name that does not exist; nothing when none is close. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const nearest = nearestName(wanted, names);
  return nearest === null ? '' : `; did you mean "${nearest}"?`;
}

const maxLength = 64;

/** The name a misspelt one most likely means, or null when none is close. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const key = comparable(wanted);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(key, comparable(name));
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return bestDistance <= Math.max(1, Math.floor(key.length / 3)) ? best : null;
}

// `ReadFile`, `read-file` and `read_file` are the same to a person and to a model; a model's name may be a megabyte.
function comparable(name: string): string {
  return name
    .slice(0, maxLength)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');
}

/** The value under a name that came from outside: `__proto__` and `constructor` are names like any other. */
export function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Whether a text is the address of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text);
}

/** The address of a database without its password and its settings. */
export function shownDatabase(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}

/** The passwords in an address, as they are written and as they are meant; none in any other text. */
export function passwordsIn(text: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const written = [
    password,
    /^[^/]*\/\/[^/?#@]*?:([^/?#]*)@/.exec(text)?.[1] ?? '',
    searchParams.get('password') ?? '',
  ];
  return [...new Set(written.flatMap((one) => [one, unescaped(one)]))].filter((one) => one !== '');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The options of a question, or the fields of its form, by their names: ` (red, blue)`; nothing for any other. */
export function answerNames({
  options = [],
  fields = [],
}: {
  options?: readonly string[];
  fields?: readonly { name: string; type: string }[];
} = {}): string {
  const names = fields.length > 0 ? fields.map(({ name, type }) => `${name}: ${type}`) : options;
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

/** Redacts known secrets in streamed text, even secrets split over several pieces. */
export class StreamRedactor {
  readonly #secrets: readonly string[];
  readonly #redact: (text: string) => string;
  #held = '';

  constructor(secrets: readonly string[], redact: (text: string) => string) {
    this.#secrets = secrets;
    this.#redact = redact;
  }

  /** The text that is safe now: everything except an end that may begin a secret. */
  push(piece: string): string {
    const text = this.#redact(this.#held + piece);
    const held = Math.max(0, ...this.#secrets.map((secret) => overlap(text, secret)));
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** At the end of the stream, the text that was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }
}

/** Length of the longest end of `text` that is a beginning of `secret`. */
function overlap(text: string, secret: string): number {
  const last = text.at(-1);
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (secret[length - 1] === last && text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
