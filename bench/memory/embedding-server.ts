/**
 * A server of vectors, in a process of its own: always the same for a text, made of its words by hashing, so that they know
 * hardly more than the words themselves. Tells its parent its port, and ends with it.
 *
 * @module
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const dims = 384;

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dims);
  // A text without words has a direction, too.
  vector[0] = 0.1;
  for (const [word] of text.toLowerCase().matchAll(/\p{Script=Han}|[\p{L}\p{N}]+/gu)) {
    let hash = 2_166_136_261;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 16_777_619);
    const at = (hash >>> 1) % dims;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? 1 : -1);
  }
  return vector;
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
    const data = input.map((text, index) => ({
      index,
      embedding: Buffer.from(vectorOf(text).buffer).toString('base64'),
    }));
    response.end(JSON.stringify({ data }));
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
