import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { findSandbox } from '../src/tools/sandbox/find-sandbox.ts';
import type { Sandbox } from '../src/tools/sandbox/sandbox.ts';
import { commonFlags } from './support/flags.ts';
import { inTurns, type KindTimes } from './support/in-turns.ts';
import { machineFacts } from './support/machine-facts.ts';
import { inScratchFolder } from './support/scratch.ts';
import { table } from './support/table.ts';

const usage = `usage: npm run bench -- sandbox [--quick] [--json] [--runs N]

What it costs to start a command that does nothing: plain, without a sandbox, and in bubblewrap. Wall time.
  --quick   few runs: shows that it works, not what it costs
  --json    one JSON object instead of the table
  --runs N  commands of each kind, in turns (200)`;

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      runs: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const runs = Number(values.runs ?? (values.quick ? 10 : 200));
  const rows = await inScratchFolder((workspace) => measure(workspace, runs));
  const machine = machineFacts();
  if (values.json) return console.log(JSON.stringify({ machine, runs, rows }));
  const cells = rows.map(({ what, medianMs, p95Ms, ratio }) => [
    what,
    ...[medianMs, p95Ms, ratio].map(String),
  ]);
  console.log(`${machine.platform}, ${machine.cpu}, Node ${machine.node}, ${runs} commands of each kind\n`);
  console.log(table([['one command that does nothing', 'median ms', 'p95 ms', 'times plain'], ...cells]));
}

async function measure(workspace: string, runs: number): Promise<KindTimes[]> {
  return inTurns(runs, [
    { what: 'plain: spawn bash -c', run: () => plainly(workspace) },
    { what: "sandbox 'none': launcher, limits", run: within(await findSandbox('none'), workspace) },
    { what: 'bubblewrap', run: within(await findSandbox('auto'), workspace) },
  ]);
}

async function plainly(cwd: string): Promise<void> {
  await once(spawn('/bin/bash', ['-c', ':'], { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] }), 'close');
}

function within(sandbox: Sandbox, workspace: string): () => Promise<void> {
  return async () => {
    const running = await sandbox.start({
      command: ':',
      workspace,
      hidden: [],
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onOutput() {},
    });
    await running.ended;
  };
}
