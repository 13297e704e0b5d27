import { parseArgs } from 'node:util';
import { type BuiltPackage, buildPackage } from '../support/built-package.ts';
import { measureInChild, startMock } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { tell } from '../support/tell.ts';
import { judge } from './aims.ts';
import type { ConcurrentResult, ConcurrentTask } from './concurrent-child.ts';
import { measureCpu } from './cpu.ts';
import { measureImports } from './imports.ts';
import type { Measured } from './measured.ts';
import { report } from './report.ts';
import type { SpaceResult, SpaceTask } from './space-child.ts';
import type { Work } from './work.ts';

const usage = `usage: npm run bench -- steps [--quick] [--json] [--processes N] [--warm-ups N] [--runs N]

Ten tool rounds against a server that answers at once: CPU time a step, floors, runs a second, import, heap, bytes.
  --quick        small sizes: shows that it works, not what it costs
  --json         one JSON object instead of the table
  --processes N  fresh processes for each mode, of which the median counts (3)
  --warm-ups N   runs before measuring begins, in each process (30)
  --runs N       runs that are measured, in each process (150)`;

const rounds = 10;

interface Sizes {
  processes: number;
  warmUps: number;
  runs: number;
  concurrent: number;
  waves: number;
  marks: number[];
}

const full: Sizes = { processes: 3, warmUps: 30, runs: 150, concurrent: 100, waves: 6, marks: [300, 1_000] };
const quick: Sizes = { processes: 1, warmUps: 3, runs: 10, concurrent: 20, waves: 2, marks: [10, 30] };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      processes: { type: 'string' },
      'warm-ups': { type: 'string' },
      runs: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const base = values.quick ? quick : full;
  const sizes: Sizes = {
    ...base,
    processes: Number(values.processes ?? base.processes),
    warmUps: Number(values['warm-ups'] ?? base.warmUps),
    runs: Number(values.runs ?? base.runs),
  };
  const measured = await measureAll(sizes);
  const judged = judge(measured);
  const facts = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine: facts, sizes, ...measured, aims: judged }));
  else console.log(report(facts, sizes, measured, judged));
}

async function measureAll(sizes: Sizes): Promise<Measured> {
  const mock = await startMock();
  try {
    tell('build');
    return await inScratchFolder(async (folder) => measureBuilt(await buildPackage(folder), mock.url, sizes));
  } finally {
    mock.stop();
  }
}

async function measureBuilt(built: BuiltPackage, url: string, sizes: Sizes): Promise<Measured> {
  const workIn = (folder: string): Work => ({ url, rounds, folder });
  const cpu = await measureCpu(workIn(''), built, sizes, tell);
  const concurrent = (groupCommit: boolean) => {
    tell(`${sizes.concurrent} at once, group commit ${groupCommit ? 'on' : 'off'}`);
    return inScratchFolder((folder) => {
      const task: ConcurrentTask = { work: workIn(folder), groupCommit, ...sizes };
      return measureInChild<ConcurrentResult>(built.script('steps/concurrent-child'), task);
    });
  };
  const grouped = await concurrent(true);
  const single = await concurrent(false);
  tell('heap and bytes');
  const space = await inScratchFolder((folder) => {
    const task: SpaceTask = { work: workIn(folder), marks: sizes.marks };
    return measureInChild<SpaceResult>(built.script('steps/space-child'), task, ['--expose-gc']);
  });
  tell('import');
  const imports = await inScratchFolder((folder) => measureImports(workIn(folder), built, sizes.processes));
  return { cpu, concurrent: { grouped, single }, space, imports };
}
