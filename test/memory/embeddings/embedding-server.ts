import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the server answers instead of vectors. */
type Answer = { status: number; headers?: Record<string, string>; body: string } | 'silence';

export interface EmbeddingServer {
  /** For `baseUrl`. */
  url: string;
  /** Texts of each request. */
  requests: string[][];
  /** Answers the next requests, in order. */
  next: Answer[];
  dims: number;
  /** Whether vectors are lists of numbers, whatever was asked for. */
  isPlain: boolean;
  /** Vectors that have nothing to do with their texts. */
  isRandom: boolean;
  close(): void;
}

/** A server of vectors that are always the same for a text: of its words and pairs of characters, hashed. */
export async function embeddingServer(): Promise<EmbeddingServer> {
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await bodyOf(request)) as { input: string[]; encoding_format?: string };
    made.requests.push(asked.input);
    const answer = made.next.shift();
    if (answer === 'silence') return;
    if (answer) return void response.writeHead(answer.status, answer.headers).end(answer.body);
    const vectors = asked.input.map((text) => (made.isRandom ? randomOf : vectorOf)(text, made.dims));
    if (request.url === '/api/embed') return void response.end(JSON.stringify({ embeddings: vectors }));
    const isBase64 = asked.encoding_format === 'base64' && !made.isPlain;
    const data = vectors.map((vector, index) => ({
      index,
      embedding: isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
    }));
    // The protocol promises no order.
    response.end(JSON.stringify({ data: data.toReversed() }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made: EmbeddingServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    next: [],
    dims: 256,
    isPlain: false,
    isRandom: false,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return made;
}

export async function testEmbeddingServer(): Promise<EmbeddingServer> {
  const server = await embeddingServer();
  onTestFinished(() => server.close());
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Words that mean the same have the same place, so that something is found by its meaning alone. */
const meanings: Readonly<Record<string, string>> = {
  boat: 'ship',
  vessel: 'ship',
  car: 'automobile',
  汽车: 'automobile',
};

function vectorOf(text: string, dims: number): number[] {
  const vector: number[] = Array(dims).fill(0);
  const add = (piece: string, weight: number) => {
    let hash = 2_166_136_261;
    for (const character of piece) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    const at = hash % dims;
    vector[at] = (vector[at] ?? 0) + (hash & 1024 ? weight : -weight);
  };
  for (const [word] of text.toLowerCase().matchAll(/\p{Script=Han}+|[\p{L}\p{N}]+/gu)) {
    add(meanings[word] ?? word, 3);
    for (let i = 1; i < word.length; i++) add(word.slice(i - 1, i + 1), 1);
  }
  return vector;
}

function randomOf(text: string, dims: number): number[] {
  let seed = createHash('sha256').update(text).digest().readUInt32LE(0);
  return Array.from({ length: dims }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 31 - 1;
  });
}
