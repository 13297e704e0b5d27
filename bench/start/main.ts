/**
 * What a start costs, beside `node -e 0` in the same turns: commands, a first run of a program, and the size of an install.
 *
 * @module
 */

import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startMock } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { megabyte, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { install, installDetent, sizeOf } from './installed.ts';
import { measureStarts, type Started, type StartTimes } from './processes.ts';

const usage = `usage: npm run bench -- start [--quick] [--json] [--starts N] [--peer]

Packs Detent as it is published, installs it in a new project, and starts its processes in turns with "node -e 0". Medians of
wall and CPU time; a figure means something only as a multiple of "node -e 0" of the same run.
  --quick     few of all: shows that it works, not what it costs
  --json      one JSON object instead of the table
  --starts N  processes of each kind (15)
  --peer      installs pi from the registry, too: a first run of a program with it is compared`;

const pi = ['@earendil-works/pi-agent-core@0.87.1', '@earendil-works/pi-ai@0.87.1'];

/** Multiples of \`node -e 0\`, and for a first run of a program of pi's. */
const aims = { version: 1.3, list: 2.5, run: 5, library: 1.2, installMb: 120, listRssMb: 80 };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { ...commonFlags, starts: { type: 'string' }, peer: { type: 'boolean', default: false } },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const starts = Number(values.starts ?? (values.quick ? 2 : 15));
  const mock = await startMock();
  try {
    await inScratchFolder(async (folder) => {
      const project = await installDetent(folder);
      const peer = values.peer ? await install(join(folder, 'peer'), pi) : null;
      const size = await sizeOf(join(project, 'node_modules'));
      const times = await measureStarts(starts, await kindsOf(project, peer, mock.url, join(folder, 'home')));
      const result = { machine: machineFacts(), starts, install: size, times, aims };
      console.log(values.json ? JSON.stringify(result) : shown(times, size));
    });
  } finally {
    mock.stop();
  }
}

async function kindsOf(project: string, peer: string | null, url: string, home: string): Promise<Started[]> {
  const cli = join(project, 'node_modules/detent/dist/src/cli/main.js');
  const env = { DETENT_HOME: home, DETENT_TRUST: '1', MOCK_KEY: 'x', BASE_URL: url };
  const command = (what: string, ...words: string[]): Started => ({
    what,
    args: [cli, ...words],
    cwd: project,
    env,
  });
  const program = async (what: string, folder: string, name: string): Promise<Started> => {
    await cp(fileURLToPath(new URL(`./${name}`, import.meta.url)), join(folder, name));
    return {
      what,
      args: [name],
      cwd: folder,
      env,
      prepare: () => rm(join(folder, '.detent'), { recursive: true, force: true }),
    };
  };
  return [
    { what: 'node -e 0', args: ['-e', '0'], cwd: project },
    command('detent --version', '--version'),
    // Before the lists, and in each turn: they have runs to show.
    command('detent run, demo: an answer', 'run', 'hello'),
    command('detent run, demo: a calculation', 'run', 'What is 17 * 23?'),
    command('detent runs list', 'runs', 'list'),
    await program('first run of a program', project, 'library-child.mjs'),
    ...(peer === null ? [] : [await program('the same with pi, in memory', peer, 'pi-child.mjs')]),
  ];
}

function shown(times: readonly StartTimes[], { bytes, files }: { bytes: number; files: number }): string {
  const [bare] = times;
  const row = ({ what, wallMs, cpuMs, rssMb }: StartTimes) => [
    what,
    String(wallMs),
    String(rounded(wallMs / (bare?.wallMs ?? Number.NaN))),
    String(cpuMs),
    String(rounded(cpuMs / (bare?.cpuMs ?? Number.NaN))),
    String(rssMb),
  ];
  return [
    table([['', 'wall ms', 'times', 'CPU ms', 'times', 'RSS MB'], ...times.map(row)]),
    '',
    `installed: ${rounded(bytes / megabyte, 1)} MB on disk in ${files} files`,
    `aims: --version ${aims.version} times "node -e 0", runs list ${aims.list}, run ${aims.run}; a program's first run ${aims.library} times pi's;`,
    `      installed ${aims.installMb} MB, a list in ${aims.listRssMb} MB`,
  ].join('\n');
}
