import type { Bytes } from '../socket/under-way.ts';

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
export function pacedBody(
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
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Texts joined to pieces of some length. */
export async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const next of texts) {
    text += next;
    if (text.length < pieceBytes) continue;
    yield* piecesOf(Buffer.from(text));
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
