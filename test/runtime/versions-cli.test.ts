import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { runMachineVersion } from '../../machines/run.machine.ts';
import { exit } from '../../src/cli/terminal/exit-codes.ts';
import { answering } from '../support/cli.ts';
import { parkedWorkspace } from '../support/parked.ts';

const newer = runMachineVersion + 1;

it('the command line shows a run of a newer version, and leaves it alone', async () => {
  const provider = await answering({ calls: [{ name: 'note', arguments: { text: 'milk' } }] });
  const { workspace, view } = await parkedWorkspace(provider, 'note this');
  const { runId } = view;
  const database = new Sqlite(join(workspace.folder, '.detent', 'detent.db'));
  database.exec(`UPDATE runs SET version = ${newer}`);
  const stored = () => [
    database.prepare('SELECT * FROM runs').all(),
    database.prepare('SELECT * FROM run_events').all(),
    database.prepare('SELECT * FROM timers').all(),
  ];
  const before = stored();

  const listed = await workspace.detent(['runs', 'list']);
  expect([listed.code, listed.stdout]).toEqual([exit.ok, expect.stringContaining(`${runId}`)]);
  expect(listed.stdout).toContain('waiting');
  expect((await workspace.json(['runs', 'show', runId])).view).toEqual(view);

  const remedy = `run ${runId} is of version ${newer} of machine "run", and this program has versions 1, 2, 3, ${runMachineVersion}`;
  const confirmed = await workspace.detent(['runs', 'confirm', runId, 'c2', '--approve']);
  expect([confirmed.code, confirmed.stderr]).toEqual([exit.config, expect.stringContaining(remedy)]);
  const resumed = await workspace.detent(['runs', 'resume', '--all']);
  expect([resumed.code, resumed.stderr.split(remedy).length]).toEqual([exit.config, 2]);
  expect(stored()).toEqual(before);
  database.close();
});
