import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { ToolFailure } from '../../ports/tool.ts';
import type { Answer } from './exchange.ts';

export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** More than one layer is in no honest answer, and each can hold a bomb. */
const maxLayers = 2;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Reads an answer's body with its content encodings undone. Counted are the bytes on the wire and those that are
 * unpacked, while they come: no more than `maxBytes` is held, whatever the headers say.
 *
 * @throws ToolFailure `TOO_LARGE`, `NETWORK_ERROR` for an encoding that is unknown; what the stream fails with.
 */
export async function readBody({ headers, body }: Answer, maxBytes: number): Promise<Buffer> {
  try {
    if (Number(single(headers['content-length'])) > maxBytes) throw tooLarge(maxBytes);
    const wire = Readable.from(limited(body, maxBytes));
    const unpacked = decoded(wire, single(headers['content-encoding']));
    const chunks: Buffer[] = [];
    for await (const chunk of limited(unpacked, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    body.destroy();
  }
}

/** The value of a header; of one that came several times, the first. */
export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function decoded(body: Readable, encoding = ''): NodeJS.ReadableStream {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > maxLayers) throw unknownEncoding(encoding);
  // The last one named was put on last.
  const streams = layers.reverse().map((layer) => {
    const make = Object.hasOwn(decoders, layer) ? decoders[layer] : undefined;
    if (!make) throw unknownEncoding(encoding);
    return make();
  });
  const last = streams.at(-1);
  // A failure of one stream destroys the others; whoever reads the last is told.
  if (last) pipeline([body, ...streams], () => {});
  return last ?? body;
}

async function* limited(stream: NodeJS.ReadableStream, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function tooLarge(maxBytes: number): ToolFailure {
  return new ToolFailure(
    'TOO_LARGE',
    `the answer is larger than ${maxBytes} bytes (unpacked); look for a smaller page, or a part of this one`,
  );
}

function unknownEncoding(encoding: string): ToolFailure {
  return new ToolFailure(
    'NETWORK_ERROR',
    `the answer is packed as ${JSON.stringify(encoding.slice(0, 80))}, which cannot be undone`,
  );
}
