/**
 * Many clients of a gateway: what it delivers, and what it adds to a piece of an answer on its way, beside a bare server that
 * sends the same frames. Both are bundled as the published package is.
 *
 * @module
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withBundled } from '../support/bundled.ts';
import { measureInChild } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { median, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { ParkedResult, ParkedTask } from './parked.ts';
import type { ClientsSaw, ClientsTask, Pace, ServerTask, ServerUp, ServerUsed } from './protocol.ts';

const usage = `usage: npm run bench -- gateway [--quick] [--json] [--rounds N]

Clients over WebSockets that watch streaming runs, beside node:http with ws that sends the same frames; then runs that wait
for a person, and a process that takes them over.
  --quick     100 clients, 10 runs: shows that it works, not what it costs
  --json      one JSON object instead of the table
  --rounds N  how often each is measured, in turns (3)`;

/** One way to load a server. */
interface Load {
  name: string;
  pace: Pace;
  deaf: number;
}

const loads: readonly Load[] = [
  { name: 'steady', pace: { pieces: 50, everyMs: 200 }, deaf: 0 },
  { name: 'steady, 100 never read', pace: { pieces: 50, everyMs: 200 }, deaf: 100 },
  { name: 'as fast as it can', pace: { pieces: 100, everyMs: 0 }, deaf: 0 },
];

const serverScript = new URL('server.ts', import.meta.url);
const parkedScript = new URL('parked.ts', import.meta.url);

type Measured = ClientsSaw & ServerUsed & { load: string; kind: ServerTask['kind']; perSecond: number };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, rounds: { type: 'string' } } });
  if (values.help) return console.log(usage);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  const size = values.quick ? { clients: 100, streams: 10 } : { clients: 1000, streams: 100 };
  const measured: Measured[] = [];
  tell('bundles the gateway');
  const parked = await withBundled([serverScript, parkedScript], async (bundled) => {
    for (let round = 1; round <= rounds; round++)
      for (const load of loads)
        for (const kind of ['floor', 'detent'] as const) {
          tell(`round ${round} of ${rounds}: ${load.name}, ${kind}`);
          measured.push(await measureOne(bundled(serverScript), load, kind, size));
        }
    tell('runs that wait for a person');
    return measureParked(bundled(parkedScript), values.quick ? 200 : 10_000);
  });
  tell('');
  const facts = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine: facts, rounds, ...size, measured, parked }));
  else console.log(`${report(measured, facts.cores, size)}\n\n${reportParked(parked)}`);
}

async function measureOne(
  script: URL,
  { name, pace, deaf }: Load,
  kind: ServerTask['kind'],
  { clients, streams }: { clients: number; streams: number },
): Promise<Measured> {
  return inScratchFolder(async (folder) => {
    const server = fork(fileURLToPath(script));
    const crowd = fork(fileURLToPath(new URL('clients.ts', import.meta.url)));
    try {
      server.send({ kind, streams, pace, folder } satisfies ServerTask);
      const [up] = (await once(server, 'message')) as [ServerUp];
      crowd.send({ ...up, clients, deaf, pieces: pace.pieces } satisfies ClientsTask);
      await once(crowd, 'message');
      const used = once(server, 'message') as Promise<[ServerUsed]>;
      server.send('go');
      const [saw] = (await once(crowd, 'message')) as [ClientsSaw];
      const [serverUsed] = await used;
      const perSecond = rounded((saw.deliveries / saw.spanMs) * 1000, 0);
      return { ...saw, ...serverUsed, load: name, kind, perSecond };
    } finally {
      server.disconnect();
      crowd.disconnect();
    }
  });
}

/** A process that parks many runs, and another one that takes them over. */
async function measureParked(
  script: URL,
  runs: number,
): Promise<{ runs: number; park: ParkedResult; resume: ParkedResult }> {
  return inScratchFolder(async (folder) => {
    const phase = (name: ParkedTask['phase']) =>
      measureInChild<ParkedResult>(script, { folder, runs, phase: name } satisfies ParkedTask, [
        '--expose-gc',
      ]);
    return { runs, park: await phase('park'), resume: await phase('resume') };
  });
}

function reportParked({ runs, park, resume }: Awaited<ReturnType<typeof measureParked>>): string {
  return [
    `${runs} runs that wait for a person: ${park.beforeMb} MB before them, ${park.withMb} MB with them`,
    `a new process: ready in ${resume.startMs} ms, ${resume.beforeMb} MB; all approved over the gateway and ended in ${resume.decidedMs} ms,`,
    `${resume.executed} calls executed, ${resume.done} runs done, ${resume.withMb} MB`,
  ].join('\n');
}

function report(
  measured: readonly Measured[],
  cores: number,
  { clients, streams }: { clients: number; streams: number },
): string {
  const rows = loads.flatMap(({ name }) => {
    const of = (kind: Measured['kind'], field: 'perSecond' | 'p50' | 'p99' | 'cpuMs' | 'rssMb') =>
      median(measured.filter((one) => one.load === name && one.kind === kind).map((one) => one[field]));
    const row = (kind: Measured['kind']) => [
      name,
      kind,
      String(of(kind, 'perSecond')),
      String(rounded(of(kind, 'p50'))),
      String(rounded(of(kind, 'p99'))),
      String(of(kind, 'cpuMs')),
      String(of(kind, 'rssMb')),
    ];
    const ratio = rounded(of('detent', 'perSecond') / of('floor', 'perSecond'));
    const added = rounded(of('detent', 'p50') - of('floor', 'p50'));
    return [row('floor'), row('detent'), [name, 'beside the floor', `× ${ratio}`, `+ ${added}`, '', '', '']];
  });
  return [
    `${clients} clients, ${streams} streams, ${cores} cores shared with the clients; medians`,
    table([['load', 'server', 'deliveries/s', 'p50 ms', 'p99 ms', 'CPU ms', 'RSS MB'], ...rows]),
  ].join('\n');
}
