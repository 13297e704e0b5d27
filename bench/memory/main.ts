/**
 * The search of memory: how well it finds on sets of questions, and what it costs when there is much to search.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { embeddingsOf } from '../../src/memory/embeddings/configured.ts';
import { startServer } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { tell } from '../support/tell.ts';
import { materialOf } from './material.ts';
import { measureQuality } from './quality.ts';
import { type Measured, report } from './report.ts';
import { measureScale } from './scale.ts';
import { measureScan } from './scan.ts';

const usage = `usage: npm run bench -- memory [--quick] [--json] [--chunks N] [--sets DIR]

How well questions find their files, on every folder of DIR that "detent memory eval" takes; what an index of N chunks
costs, made of the same texts, while it is made and when it is searched, by words and by vectors of 384 numbers; and a
scan of N vectors beside reading them and beside sqlite-vec. Vectors come from a server on loopback that hashes words.
  --quick     2,000 chunks: shows that it works, not what it costs
  --json      one JSON object instead of the tables
  --chunks N  how many (100,000); takes some 1.2 GB of memory and ten minutes
  --sets DIR  folders with a queries.jsonl (the shared fixtures, else the diaries of the tests)`;

const dims = 384;
const shared = fileURLToPath(new URL('../../../shared/fixtures/memory', import.meta.url));
const own = fileURLToPath(new URL('../../test/fixtures/memory', import.meta.url));

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      chunks: { type: 'string' },
      sets: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const chunks = Number(values.chunks ?? (values.quick ? 2_000 : 100_000));
  const sets = values.sets ? resolve(values.sets) : existsSync(shared) && !values.quick ? shared : own;
  const measured = await measureAll(sets, chunks, values.quick);
  const machine = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine, ...measured }));
  else console.log(report(machine, measured));
}

async function measureAll(sets: string, chunks: number, isQuick: boolean): Promise<Measured> {
  const server = await startServer(new URL('./embedding-server.ts', import.meta.url));
  try {
    const embeddings = embeddingsOf({ baseUrl: `http://127.0.0.1:${server.port}`, model: 'hashed' }, {});
    if (!embeddings) throw new Error('a model was named, and there is none');
    tell('quality');
    const quality = await measureQuality(sets, embeddings);
    const material = await materialOf(sets);
    const scale = await inScratchFolder((folder) =>
      measureScale(folder, material, { chunks, idleMs: isQuick ? 1_000 : 5_000, embeddings, tell }),
    );
    tell('scan');
    const scan = await measureScan(chunks, dims, isQuick ? 5 : 60);
    tell('');
    return { quality, scale, scan };
  } finally {
    server.stop();
  }
}
