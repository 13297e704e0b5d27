import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { ToolFailure } from '../../protocol/tool.ts';
import type { Answer } from './exchange.ts';

export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** Honest responses have at most one layer of compression, and each layer can be a decompression bomb. */
const maxLayers = 2;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Reads a response's body and decompresses it. Counts the bytes on the wire and the decompressed ones as they arrive, so
 * that it never holds more than `maxBytes`, whatever the headers say.
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

/** The value of a header; the first one if it came several times. */
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
  // The last encoding in the header was applied last.
  const streams = layers.reverse().map((layer) => {
    const make = Object.hasOwn(decoders, layer) ? decoders[layer] : undefined;
    if (!make) throw unknownEncoding(encoding);
    return make();
  });
  const last = streams.at(-1);
  // A failure of one stream destroys the others; the reader of the last one gets the error.
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
