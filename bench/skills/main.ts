/**
 * What many skills cost: the start of a process, the first run, and a later one, beside the same without any.
 *
 * @module
 */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type BuiltPackage, buildPackage } from '../support/built-package.ts';
import { measureInChild, startMock } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { median, quantile, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { SkillTask, SkillTimes } from './child.ts';
import { makeWorkspaces, type Workspaces } from './folders.ts';

const usage = `usage: npm run bench -- skills [--quick] [--json] [--skills N] [--starts N]

A run whose model answers at once, in a workspace with N skills and in one without: in a fresh process of the command line, in
one of a program, and within one process. In turns, wall time; Detent as it is published. The skills are those of the fixtures,
copied.
  --quick     few of all: shows that it works, not what it costs
  --json      one JSON object instead of the table
  --skills N  how many (1,000)
  --starts N  processes of each kind (15)`;

const shared = fileURLToPath(new URL('../../../shared/fixtures/skills', import.meta.url));
const own = fileURLToPath(new URL('../../test/fixtures/skills', import.meta.url));
const aimMs = 300;

/** Medians of the same without and with skills. */
interface Compared {
  what: string;
  withoutMs: number;
  withMs: number;
  moreMs: number;
  /** Of the times with skills. */
  p95Ms: number;
}

interface Sizes {
  skills: number;
  starts: number;
  later: number;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      skills: { type: 'string' },
      starts: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const sizes: Sizes = {
    skills: Number(values.skills ?? (values.quick ? 100 : 1_000)),
    starts: Number(values.starts ?? (values.quick ? 2 : 15)),
    later: values.quick ? 1 : 10,
  };
  const rows = await inScratchFolder((folder) => measure(folder, sizes));
  tell('');
  const machine = machineFacts();
  if (values.json) return console.log(JSON.stringify({ machine, ...sizes, aimMs, rows }));
  const { skills } = sizes;
  console.log(`${machine.platform}, ${machine.cpu}, Node ${machine.node}; ${skills} skills\n`);
  const cells = rows.map(({ what, withoutMs, withMs, moreMs, p95Ms }) => [
    what,
    ...[withoutMs, withMs, moreMs, p95Ms].map(String),
  ]);
  console.log(table([['a run, median ms', 'without', `${skills} skills`, 'more', 'p95'], ...cells]));
}

async function measure(folder: string, sizes: Sizes): Promise<Compared[]> {
  const mock = await startMock();
  try {
    return await measureAt(mock.url, folder, sizes);
  } finally {
    mock.stop();
  }
}

async function measureAt(baseUrl: string, folder: string, sizes: Sizes) {
  tell('build');
  const built = await buildPackage(folder);
  const models = { mock: { baseUrl } };
  const config = { model: 'mock/mock-0', models };
  const skills = existsSync(shared) ? shared : own;
  const workspaces = await makeWorkspaces(folder, skills, sizes.skills, config);
  const home = join(folder, 'home');
  tell('command line');
  const commands = await alternating(workspaces, sizes.starts, (workspace) =>
    timed(() => runCommand(built, workspace, home)),
  );
  const child = (task: Omit<SkillTask, 'home' | 'models'>) =>
    measureInChild<SkillTimes>(built.script('skills/child'), { ...task, home, models } satisfies SkillTask);
  tell('program');
  const cold = await alternating(workspaces, sizes.starts, async (workspace) => {
    const { coldMs } = await child({ workspaces: [workspace], rounds: 0, later: 0 });
    return coldMs;
  });
  tell('within one process');
  const { firstRuns, laterRuns } = await child({
    workspaces: [workspaces.without, workspaces.with],
    rounds: sizes.starts,
    later: sizes.later,
  });
  return [
    compared('detent run, a process from start to end', commands),
    compared('a program: from import to the end of its first run', cold),
    compared('the first run of a new Detent, in a process that is warm', firstRuns),
    compared('a later run, which looks whether skills have changed', laterRuns),
  ];
}

/** In turns, so that what else the machine does falls on both; the first of each fills caches and does not count. */
async function alternating(
  workspaces: Workspaces,
  count: number,
  measured: (workspace: string) => Promise<number>,
): Promise<number[][]> {
  const times: number[][] = [[], []];
  for (let i = -1; i < count; i++)
    for (const [kind, workspace] of [workspaces.without, workspaces.with].entries()) {
      const ms = await measured(workspace);
      if (i >= 0) times[kind]?.push(ms);
    }
  return times;
}

async function runCommand({ home: packageHome }: BuiltPackage, cwd: string, home: string): Promise<void> {
  const command = [join(packageHome, 'dist/src/cli/main.js'), 'run', 'hello'];
  await promisify(execFile)(process.execPath, command, { cwd, env: { ...process.env, DETENT_HOME: home } });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function compared(what: string, [without = [], many = []]: readonly (readonly number[])[]): Compared {
  return {
    what,
    withoutMs: rounded(median(without), 1),
    withMs: rounded(median(many), 1),
    moreMs: rounded(median(many) - median(without), 1),
    p95Ms: rounded(quantile(many, 0.95), 1),
  };
}
