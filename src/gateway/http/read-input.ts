import * as z from 'zod/mini';
import { DetentError } from '../../protocol/error.ts';
import { parseJson } from '../../protocol/json.ts';
import { inTime } from '../../text/limiter.ts';
import { asNow, type LetIn } from '../access/gate.ts';
import type { Method } from '../methods/method.ts';
import type { Bytes } from '../socket/under-way.ts';
import type { HttpParts } from './http-parts.ts';

/** A field of a query string or a path is text; the schema says what to convert it to. */
type Kind = 'text' | 'number' | 'flag' | 'list';

/** If the body takes longer, the token is checked again: it may have been revoked meanwhile. */
const longMs = 100;

const json = /^application\/(?:[a-z.+-]+\+)?json\s*(?:;|$)/i;
const kinds = new WeakMap<Method, Map<string, Kind>>();

/**
 * The input of a method: out of the path, and the query of a request without a body or the body of one that has one. Beside a
 * file, the query holds the other fields.
 *
 * @throws DetentError `INVALID_REQUEST`, `UNSUPPORTED_MEDIA_TYPE`, and as {@link readBytes}.
 */
export async function readInput(
  method: Method,
  request: Request,
  params: Readonly<Record<string, string>>,
  bounds: BodyBounds,
): Promise<Record<string, unknown>> {
  const query = new URL(request.url).searchParams;
  const known = kindsOf(method);
  const type = request.headers.get('content-type') ?? '';
  const isFile = method.http?.takesFile && type !== '' && !json.test(type);
  const isBody = request.method === 'POST' || request.method === 'PATCH';
  if (isBody && !isFile && query.size > 0)
    throw new DetentError(
      'INVALID_REQUEST',
      `send the fields in the body: a ${request.method} takes none in its address`,
    );
  // Without a prototype, "__proto__" is a field like any other, and unknown.
  const input: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const kind = known.get(name) ?? 'text';
    input[name] = kind === 'list' ? query.getAll(name) : meant(query.get(name) ?? '', kind);
  }
  if (isFile) input.data = Buffer.from(await readBytes(request, bounds)).toString('base64');
  else if (request.method !== 'GET') Object.assign(input, await readJson(request, bounds));
  for (const [name, value] of Object.entries(params)) input[name] = meant(value, known.get(name) ?? 'text');
  const key = request.headers.get('idempotency-key');
  if (key !== null && known.has('idempotencyKey')) input.idempotencyKey = key;
  return input;
}

/** As {@link readInput}, with the client as its token is when the body has come. @throws also as {@link asNow}. */
export async function readInputOf(
  who: LetIn,
  ...of: Parameters<typeof readInput>
): Promise<{ who: LetIn; input: Record<string, unknown> }> {
  const since = performance.now();
  const input = await readInput(...of);
  const isOld = performance.now() - since > longMs;
  return { who: isOld ? await asNow(who, of[0].scope) : who, input };
}

function meant(value: string, kind: Kind): unknown {
  if (kind === 'number' && /^-?\d{1,16}$/.test(value)) return Number(value);
  if (kind === 'flag' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function kindsOf(method: Method): Map<string, Kind> {
  const found = kinds.get(method);
  if (found) return found;
  const { properties = {} } = z.toJSONSchema(method.input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, { type?: string; anyOf?: { type?: string }[] }>;
  };
  const made = new Map(
    Object.entries(properties).map(([name, schema]) => [name, parameterKind(schema)] as const),
  );
  kinds.set(method, made);
  return made;
}

function parameterKind({ type, anyOf = [] }: { type?: string; anyOf?: { type?: string }[] }): Kind {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  return type === 'array' || anyOf.some((one) => one.type === 'array') ? 'list' : 'text';
}

async function readJson(request: Request, bounds: BodyBounds): Promise<object> {
  const bytes = await readBytes(request, bounds);
  if (bytes.length === 0) return {};
  const type = request.headers.get('content-type') ?? '';
  if (!json.test(type))
    throw new DetentError(
      'UNSUPPORTED_MEDIA_TYPE',
      'send JSON, with the header Content-Type: application/json',
    );
  const body = parseJson(decoded(bytes));
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new DetentError('INVALID_REQUEST', 'the body must be a JSON object of at most 200 levels');
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DetentError('INVALID_REQUEST', 'the body is not UTF-8');
  }
}

/** What a body may be. */
interface BodyBounds {
  maxBytes: number;
  /** How long its sender may send nothing. */
  stallMs: number;
  /** Counts it while it is read, and the request is performed. */
  bytes: Bytes;
}

/**
 * @throws DetentError `BODY_TOO_LARGE`, before it is read if it says its length; `TOO_MANY_BYTES`, `GATEWAY_FULL`;
 *   `BODY_STALLED`; `INVALID_REQUEST` when it broke off.
 */
async function readBytes(request: Request, { maxBytes, stallMs, bytes }: BodyBounds): Promise<Uint8Array> {
  const said = Number(request.headers.get('content-length') ?? 0);
  const tooLarge = () =>
    new DetentError('BODY_TOO_LARGE', `the body has more than ${maxBytes} bytes`, { details: { maxBytes } });
  if (said > maxBytes) throw tooLarge();
  bytes.take(said);
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), stallMs, () => {
        throw new DetentError('BODY_STALLED', `no data of the body arrived for ${stallMs} ms`);
      });
      if (done) return Buffer.concat(pieces);
      length += value.length;
      if (length > maxBytes) throw tooLarge();
      if (length > said) bytes.take(Math.min(value.length, length - said));
      pieces.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (DetentError.is(error)) throw error;
    throw new DetentError('INVALID_REQUEST', 'the body broke off', { retryable: true });
  }
}

/** Performs a request whose body counts as under way until it was performed. */
export async function received<T>(
  { limits, underWay }: Pick<HttpParts, 'limits' | 'underWay'>,
  { holder }: Pick<LetIn, 'holder'>,
  maxBytes: number,
  perform: (bounds: BodyBounds) => Promise<T>,
): Promise<T> {
  const bytes = underWay.begin(holder);
  try {
    return await perform({ maxBytes, stallMs: limits.stallMs, bytes });
  } finally {
    bytes.release();
  }
}
