/**
 * What a start costs, beside `node -e 0` in the same turns: commands, a first run of a program, and the size of an install.
 *
 * @module
 */

import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startMock } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { commandStarts, installText, startAims, startTable } from './commands.ts';
import { installDetent, sizeOf } from './installed.ts';
import { measureStarts, type Started } from './processes.ts';

const usage = `usage: npm run bench -- start [--quick] [--json] [--starts N]

Packs Detent as it is published, installs it in a new project, and starts its processes in turns with "node -e 0". Medians of
wall and CPU time; a figure means something only as a multiple of "node -e 0" of the same run. "npm run bench -- peers" has other
frameworks beside it.
  --quick     few of all: shows that it works, not what it costs
  --json      one JSON object instead of the table
  --starts N  processes of each kind (15)`;

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, starts: { type: 'string' } } });
  if (values.help) {
    console.log(usage);
    return;
  }
  const starts = Number(values.starts ?? (values.quick ? 2 : 15));
  const mock = await startMock();
  try {
    await inScratchFolder(async (folder) => {
      const project = await installDetent(folder);
      const size = await sizeOf(join(project, 'node_modules'));
      const home = join(folder, 'home');
      await mkdir(home);
      const kinds = [...commandStarts(project, home), await programStart(project, mock.url)];
      const times = await measureStarts(starts, kinds);
      const result = { machine: machineFacts(), starts, install: size, times, aims: startAims };
      const { version, list, run, installMb, listRssMb } = startAims;
      const shown = [
        startTable(times),
        '',
        installText('Detent', size),
        `aims: --version ${version} times "node -e 0", runs list ${list}, run ${run}; installed ${installMb} MB, a list in ${listRssMb} MB`,
      ];
      console.log(values.json ? JSON.stringify(result) : shown.join('\n'));
    });
  } finally {
    mock.stop();
  }
}

/** A first run of a program, on a new database. */
async function programStart(project: string, url: string): Promise<Started> {
  const name = 'library-child.mjs';
  await cp(fileURLToPath(new URL(`./${name}`, import.meta.url)), join(project, name));
  return {
    what: 'first run of a program',
    args: [name],
    cwd: project,
    env: { MOCK_KEY: 'x', BASE_URL: url },
    prepare: () => rm(join(project, '.detent'), { recursive: true, force: true }),
  };
}
