/**
 * What Detent costs beside other frameworks that do the same work, each installed in a folder of its own: starts, steps, memory.
 *
 * @module
 */

import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandStarts } from '../start/commands.ts';
import { install, installDetent, sizeOf } from '../start/installed.ts';
import { measureStarts, type Started } from '../start/processes.ts';
import { startMock } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { tell } from '../support/tell.ts';
import { type PeerFigures, report } from './report.ts';
import { type Installed, measureSteps, taskOf } from './steps.ts';
import { detent, floor, peers, type Subject } from './subjects.ts';

const names = Object.keys(peers);
const usage = `usage: npm run bench -- peers [--quick] [--json] [--only NAME,…] [--starts N]

Installs Detent as it is published and other frameworks from the registry, in a scratch folder. Ten tool rounds and an answer
against a server on loopback that answers at once: CPU time a step, heap, import; a first run in a new process; starts of commands.
  --quick     small sizes: shows that it works, not what it costs
  --json      one JSON object instead of the tables
  --only      of ${names.join(', ')}; all by default
  --starts N  processes of each kind (15)`;

const sizes = {
  full: { starts: 15, processes: 3, warmUps: 30, runs: 150 },
  quick: { starts: 2, processes: 1, warmUps: 3, runs: 10 },
};

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { ...commonFlags, only: { type: 'string' }, starts: { type: 'string' } },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const asked = values.only?.split(',') ?? names;
  const unknown = asked.find((name) => !Object.hasOwn(peers, name));
  if (unknown !== undefined) {
    console.error(`--only takes ${names.join(', ')}, not "${unknown}"`);
    process.exitCode = 2;
    return;
  }
  const chosen = asked.flatMap((name) => peers[name] ?? []);
  const size = values.quick ? sizes.quick : sizes.full;
  const starts = Number(values.starts ?? size.starts);
  const mock = await startMock();
  try {
    await inScratchFolder(async (folder) => {
      const installed = await installAll(folder, chosen);
      const figures: PeerFigures = {
        starts: await startsOf(starts, installed, mock.url, folder),
        steps: await measureSteps(installed, mock.url, folder, size),
        installs: await installsOf(installed),
      };
      const machine = machineFacts();
      console.log(
        values.json
          ? JSON.stringify({ machine, sizes: { ...size, starts }, ...figures })
          : report(machine, figures),
      );
    });
  } finally {
    mock.stop();
  }
}

/** Detent first, the floor last. */
async function installAll(folder: string, chosen: readonly Subject[]): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const subject of [detent, ...chosen, floor]) {
    tell(`install ${subject.name}`);
    const project = await installOne(join(folder, subject.program.replace('.mjs', '')), subject);
    for (const program of ['child.mjs', subject.program])
      await cp(fileURLToPath(new URL(`programs/${program}`, import.meta.url)), join(project, program));
    installed.push({ subject, folder: project });
  }
  return installed;
}

async function installOne(folder: string, subject: Subject): Promise<string> {
  await mkdir(folder);
  if (subject === detent) return installDetent(folder);
  return subject.packages.length === 0 ? folder : install(folder, subject.packages);
}

/** Commands of Detent, and first runs of programs: on a new database, with one mode of each. */
async function startsOf(starts: number, installed: readonly Installed[], url: string, folder: string) {
  const [own] = installed;
  const home = join(folder, 'home');
  const scratch = join(folder, 'first');
  await mkdir(home);
  const programs = installed.map(({ subject, folder: cwd }): Started => {
    const mode = subject.modes.at(-1) ?? '';
    return {
      what: `first run of a program, ${subject.name} ${mode}`,
      args: ['--no-warnings', 'child.mjs', taskOf(subject, mode, url, scratch, { runs: 0 })],
      cwd,
      async prepare() {
        await rm(scratch, { recursive: true, force: true });
        await mkdir(scratch);
      },
    };
  });
  return measureStarts(starts, [...commandStarts(own?.folder ?? '', home), ...programs]);
}

async function installsOf(installed: readonly Installed[]): Promise<PeerFigures['installs']> {
  const found = installed.filter(({ subject }) => subject !== floor);
  return Promise.all(
    found.map(async ({ subject, folder }) => ({
      what: subject.name,
      ...(await sizeOf(join(folder, 'node_modules'))),
    })),
  );
}
