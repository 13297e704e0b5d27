import { isBase64 } from '../../protocol/content.ts';
import { DetentError } from '../../protocol/error.ts';
import { isNestedTooDeep, isObject, maxNesting, parseJson } from '../../protocol/json.ts';
import { jsonLine } from './json-line.ts';
import { type KnownEvent, type LogEvent, readLogEvent } from './session-log.ts';

/** The content of a file, whole or in chunks of any size. */
export type LogSource =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

export interface ReadLine {
  /** The line to store: unchanged, except for an added `seq` or `ts`. */
  text: string;
  type: string;
  /** Null for a type that an import does not understand. */
  known: KnownEvent | null;
  event: LogEvent;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface ReadLog {
  lines: ReadLine[];
  /** Bytes of an incomplete last line, which is left out; 0 for none. */
  tornBytes: number;
  /** Number of delta lines, which are left out because the whole message follows them. */
  deltas: number;
}

/**
 * Reads the lines of a session's log. Leaves out an incomplete last line.
 *
 * @param now for lines that say no time, when none before them did; milliseconds.
 * @throws DetentError `INVALID_SESSION_LOG` that names the line.
 */
export async function readLog(
  source: LogSource,
  redact: (text: string) => string,
  now: number,
): Promise<ReadLog> {
  const raw = await splitLines(source);
  const log: ReadLog = { lines: [], tornBytes: 0, deltas: 0 };
  const last = raw.findLastIndex((bytes) => !isBlank(bytes));
  let at = now;
  for (const [i, bytes] of raw.entries()) {
    if (isBlank(bytes)) continue;
    const parsed = parse(bytes, redact, i === 0);
    if (!parsed) {
      if (i !== last) throw invalidLine(i + 1, 'it is not JSON');
      log.tornBytes = bytes.length;
      break;
    }
    if (parsed.value === tooDeep)
      throw invalidLine(i + 1, `it is nested more than ${maxNesting} levels deep`);
    const found = readLogEvent(parsed.value);
    if ('wrong' in found) throw invalidLine(i + 1, found.wrong);
    const event: LogEvent = 'known' in found ? found.known : found.other;
    if (event.type === 'assistant.delta') {
      log.deltas++;
      continue;
    }
    const isStamped = typeof event.ts === 'number' && Number.isFinite(event.ts);
    if (isStamped && !isMoment(event.ts as number))
      throw invalidLine(i + 1, `its ts, ${String(event.ts)}, is not a time in seconds between 1970 and 9999`);
    if (isStamped) at = Math.round((event.ts as number) * 1000);
    const isWhole = isStamped && Number.isInteger(event.seq);
    const stamp = { seq: log.lines.length + 1, ts: at / 1000 };
    const { type, ...fields } = event;
    const text = isWhole ? parsed.text : jsonLine({ type, ...stamp, ...fields, ...stamp });
    const known = 'known' in found ? found.known : null;
    log.lines.push({ text, type, known, event, at });
  }
  return log;
}

/** In seconds. No date can show a later one. */
function isMoment(ts: number): boolean {
  return ts >= 0 && ts < 253_402_300_800;
}

/** Stands for a value that is nested too deep to be parsed. */
const tooDeep = Symbol('too deep');

function invalidLine(line: number, what: string): DetentError {
  return new DetentError(
    'INVALID_SESSION_LOG',
    `line ${line} is not an event of a session: ${what}; fix or remove it, nothing was imported`,
    { details: { line } },
  );
}

const lineFeed = 10;

/** Lines of any length, in time that grows with their bytes alone. */
async function splitLines(source: LogSource): Promise<Uint8Array[]> {
  const lines: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  const pieces = typeof source === 'string' || source instanceof Uint8Array ? [source] : source;
  for await (const piece of pieces) {
    let rest = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
      lines.push(joined([...open, rest.subarray(0, end)]));
      open = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) open.push(rest);
  }
  if (open.length > 0) lines.push(joined(open));
  return lines;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1 && pieces[0]) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** The base64 of an artifact. It is not redacted: that would break the bytes. */
function binaryIn(line: string): string | null {
  if (!line.includes('"detent.artifact"')) return null;
  const value = parseJson(line);
  const artifact = isObject(value) && value.type === 'detent.artifact' ? value.artifact : null;
  if (!isObject(artifact) || artifact.encoding !== 'base64' || typeof artifact.body !== 'string') return null;
  return artifact.body !== '' && isBase64(artifact.body) ? artifact.body : null;
}

/** Null for text that is not JSON. */
function parse(
  bytes: Uint8Array,
  redact: (text: string) => string,
  isFirst: boolean,
): { text: string; value: unknown } | null {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst });
    const line = decoder.decode(bytes).replace(/\r$/, '');
    const binary = binaryIn(line);
    const text = binary === null ? redact(line) : line.split(binary).map(redact).join(binary);
    return { text, value: isNestedTooDeep(text) ? tooDeep : JSON.parse(text) };
  } catch {
    return null;
  }
}
