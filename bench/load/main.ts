/**
 * A gateway under load for as long as one likes: people who chat and decide, jobs each minute, runs that wait, and clients that
 * try to harm them; what the people notice of it, and what grows.
 *
 * @module
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { quantile, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import {
  type AttacksReport,
  type ClientsReport,
  pause,
  type ServerSample,
  type ServerUp,
} from './protocol.ts';

const usage = `usage: npm run bench -- load [--minutes N] [--parts N] [--quiet] [--quick] [--json]

People who chat, runs that wait, jobs each minute, and one attacker of each kind, at one gateway.
  --minutes N  how long (10)
  --parts N    into how many lines the time is divided (6)
  --quiet      without attackers: what to compare with
  --quick      half a minute, two lines
  --json       one JSON object instead of the table`;

interface Part extends Omit<ClientsReport, 'probes' | 'firstPieces'> {
  rssMb: number;
  handles: number;
  loopP99: number;
  loopMax: number;
  probeP50: number;
  probeP99: number;
  firstP50: number;
  firstP99: number;
  unasked: number;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      minutes: { type: 'string' },
      parts: { type: 'string' },
      quiet: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const minutes = Number(values.minutes ?? (values.quick ? 0.5 : 10));
  const count = Number(values.parts ?? (values.quick ? 2 : 6));
  const size = { users: 21, parked: 200, transitions: values.quick ? 40 : 400 };
  await inScratchFolder(async (folder) => {
    const server = start(new URL('server.ts', import.meta.url), { folder, ...size });
    const children = [server];
    try {
      tell('starting');
      const up = await said<ServerUp>(server);
      const people = start(new URL('people.ts', import.meta.url));
      children.push(people);
      people.send(up);
      const attackers = values.quiet ? null : start(new URL('attackers.ts', import.meta.url));
      if (attackers) children.push(attackers);
      attackers?.send(up);
      await ask<ServerSample>(server, 'sample');
      const parts: Part[] = [];
      for (let n = 1; n <= count; n++) {
        tell(`part ${n} of ${count}`);
        await pause((minutes * 60_000) / count);
        parts.push(partOf(await ask(server, 'sample'), await ask(people, 'report')));
      }
      const attacks = attackers ? await ask<AttacksReport>(attackers, 'report') : {};
      tell('');
      const facts = machineFacts();
      if (values.json) console.log(JSON.stringify({ facts, minutes, parts, attacks }));
      else console.log(report(minutes, parts, attacks));
    } finally {
      for (const child of children.reverse()) if (child.connected) child.disconnect();
      if (server.exitCode === null) await once(server, 'exit');
    }
  });
}

function start(script: URL, argument?: object): ChildProcess {
  const child = fork(fileURLToPath(script), argument ? [JSON.stringify(argument)] : []);
  child.once('exit', (code) => code && console.error(`${script.pathname} ended with ${code}`));
  return child;
}

/** The next message of a child. Rejects when the child ends before it. */
async function said<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const end = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a process of this benchmark ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), end]);
    return message as Message;
  } finally {
    ended.abort();
    end.catch(() => {});
  }
}

function ask<Answer>(child: ChildProcess, what: string): Promise<Answer> {
  const answer = said<Answer>(child);
  child.send(what);
  return answer;
}

function partOf(sample: ServerSample, { probes, firstPieces, ...seen }: ClientsReport): Part {
  return {
    ...seen,
    rssMb: sample.rssMb,
    handles: sample.handles,
    loopP99: sample.delay.p99,
    loopMax: sample.delay.max,
    probeP50: rounded(quantile(probes, 0.5), 1),
    probeP99: rounded(quantile(probes, 0.99), 1),
    firstP50: rounded(quantile(firstPieces, 0.5), 1),
    firstP99: rounded(quantile(firstPieces, 0.99), 1),
    unasked: sample.unasked,
  };
}

function report(minutes: number, parts: readonly Part[], attacks: AttacksReport): string {
  const words = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, times]) => `${name}: ${times}`)
      .join(', ') || 'none';
  const columns = [
    ['RSS MB', 'rssMb'],
    ['handles', 'handles'],
    ['loop p99 ms', 'loopP99'],
    ['loop max', 'loopMax'],
    ['request p50 ms', 'probeP50'],
    ['p99', 'probeP99'],
    ['first piece p50 ms', 'firstP50'],
    ['p99', 'firstP99'],
    ['runs', 'runs'],
    ['decisions', 'decisions'],
    ['reconnects', 'reconnects'],
    ['unasked', 'unasked'],
  ] as const;
  const rows = parts.map((part, n) => [
    String(rounded(((n + 1) * minutes) / parts.length, 1)),
    ...columns.map(([, field]) => String(part[field])),
    words(part.errors),
  ]);
  return [
    table([['minute', ...columns.map(([heading]) => heading), 'errors of people'], ...rows]),
    ...Object.entries(attacks).map(([name, counts]) => `attack "${name}": ${words(counts)}`),
  ].join('\n');
}
