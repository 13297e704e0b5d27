import type { LetIn } from '../access/gate.ts';
import { Listed } from '../documents/listed.ts';
import type { Bytes } from '../socket/under-way.ts';
import type { HttpParts, Peer } from './http-parts.ts';

/** Shorter bodies are written at once: the connection takes them. */
const shortBytes = 64 * 1024;
/** The bytes that a streamed answer counts as. */
const listedBytes = 1024 * 1024;

export const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Makes the answers of one request, whose bodies are written as the client takes them. */
export class Answers {
  readonly #parts: Pick<HttpParts, 'limits' | 'underWay'>;
  readonly #holder: string;
  readonly #cut: (() => void) | undefined;

  /** @throws DetentError `TOO_MANY_BYTES`, `GATEWAY_FULL` when no room is left for an answer. */
  constructor(parts: Pick<HttpParts, 'limits' | 'underWay'>, { holder }: Pick<LetIn, 'holder'>, peer: Peer) {
    this.#parts = parts;
    this.#holder = holder;
    this.#cut = peer.cut;
    parts.underWay.check(holder);
  }

  /** @param body what a method returned. */
  async json(body: unknown, status = 200): Promise<Response> {
    if (!(body instanceof Listed)) return this.#whole(JSON.stringify(body), { status, headers: jsonHeaders });
    const pieces = encoded(body.text());
    // Read the first part now: an error must be reported before the answer begins.
    const first = await pieces.next();
    const stream = async function* () {
      if (!first.done) yield first.value;
      yield* pieces;
    };
    return new Response(this.#paced(stream(), listedBytes), { status, headers: jsonHeaders });
  }

  bytes(body: Uint8Array, headers: Record<string, string>): Response {
    return this.#whole(body, { headers });
  }

  #whole(body: string | Uint8Array<ArrayBufferLike>, init: ResponseInit): Response {
    if (body.length <= shortBytes) return new Response(body as string | Uint8Array<ArrayBuffer>, init);
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const headers = { ...(init.headers as Record<string, string>), 'content-length': String(bytes.length) };
    return new Response(this.#paced(piecesOf(bytes), bytes.length), { ...init, headers });
  }

  #paced(pieces: AsyncIterator<Uint8Array>, count: number): ReadableStream<Uint8Array> {
    const bytes = this.#parts.underWay.begin(this.#holder);
    bytes.add(count);
    return pacedBody(pieces, { stallMs: this.#parts.limits.stallMs, bytes, cut: this.#cut });
  }
}

/** Bytes that are handed on at once. */
const pieceBytes = 64 * 1024;

interface Pace {
  /** How long the reader may take nothing. */
  stallMs: number;
  /** Counts the body until it has been read or its reader has disconnected. */
  bytes: Bytes;
  /** Ends the connection of a reader that takes nothing. */
  cut?: (() => void) | undefined;
}

/**
 * The body of an answer that is produced as its reader takes it. A reader that takes nothing for too long, or never
 * starts, is cut off.
 */
function pacedBody(
  pieces: AsyncIterator<Uint8Array>,
  { stallMs, bytes, cut }: Pace,
): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    bytes.release();
    void pieces.return?.();
  };
  const wait = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (isOver) return;
    timer = setTimeout(() => {
      end();
      if (cut) cut();
      else controller.error(new Error('the reader takes nothing'));
    }, stallMs).unref();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: wait,
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await pieces.next();
          if (isOver) return;
          if (!done) {
            wait(controller);
            controller.enqueue(value);
            return;
          }
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** Bytes that are there already, piece by piece. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Texts joined to pieces of some length. */
async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const next of texts) {
    text += next;
    if (text.length < pieceBytes) continue;
    yield* piecesOf(Buffer.from(text));
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
