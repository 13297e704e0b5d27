/**
 * What a step of a workflow costs beside a run of Detent's own machine, other durable workflows, and the bare commits.
 *
 * @module
 */

import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/protocol/error.ts';
import { install, installDetent } from '../start/installed.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { tell } from '../support/tell.ts';
import { type Installed, measureFlows } from './measure.ts';
import { type FlowFigures, loadNow, report } from './report.ts';
import { detent, floor, peers, type Subject } from './subjects.ts';

const names = Object.keys(peers);
const usage = `usage: npm run bench -- transitions [--quick] [--json] [--only NAME,…]

Installs Detent as it is published and other workflows from the registry, in a scratch folder. The same chart by each: steps in a
row that add one, in SQLite; as steps and tools of a workflow of Detent, and as a run of an agent whose model is a function.
  --quick     small sizes: shows that it works, not what it costs
  --json      one JSON object instead of the tables
  --only      of ${names.join(', ')}; all by default, none for ""`;

const sizes = {
  full: { batches: 15, runs: 10, together: 100, crowds: 3 },
  quick: { batches: 1, runs: 2, together: 10, crowds: 1 },
};

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, only: { type: 'string' } } });
  if (values.help) {
    console.log(usage);
    return;
  }
  const asked = values.only?.split(',').filter((name) => name !== '') ?? names;
  const unknown = asked.find((name) => !Object.hasOwn(peers, name));
  if (unknown !== undefined) {
    console.error(`--only takes ${names.join(', ')}, not "${unknown}"`);
    process.exitCode = 2;
    return;
  }
  const chosen = asked.flatMap((name) => peers[name] ?? []);
  const size = values.quick ? sizes.quick : sizes.full;
  await inScratchFolder(async (folder) => {
    const { installed, notRun } = await installAll(folder, chosen);
    const flows = await measureFlows(installed, folder, size);
    const figures: FlowFigures = { flows, notRun, load: loadNow() };
    const machine = machineFacts();
    console.log(
      values.json
        ? JSON.stringify({ machine, sizes: size, ...figures })
        : report(machine, figures, installed),
    );
  });
}

/** The floor first, then Detent. A peer that cannot be installed is left out. */
async function installAll(
  folder: string,
  chosen: readonly Subject[],
): Promise<{ installed: Installed[]; notRun: FlowFigures['notRun'] }> {
  const installed: Installed[] = [];
  const notRun: { name: string; why: string }[] = [];
  for (const subject of [floor, detent, ...chosen]) {
    tell(`install ${subject.name}`);
    try {
      const project = await installOne(join(folder, subject.program.replace('.mjs', '')), subject);
      for (const program of ['child.mjs', subject.program])
        await cp(fileURLToPath(new URL(`programs/${program}`, import.meta.url)), join(project, program));
      installed.push({ subject, folder: project });
    } catch (error) {
      if (subject === detent || subject === floor) throw error;
      notRun.push({ name: subject.name, why: messageOf(error) });
    }
  }
  return { installed, notRun };
}

async function installOne(folder: string, subject: Subject): Promise<string> {
  await mkdir(folder);
  if (subject === detent) return installDetent(folder);
  const { packages, overrides } = subject;
  return packages.length === 0 ? folder : install(folder, packages, overrides);
}
