import { symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadMachines } from '../../../src/cli/settings/machine-files.ts';
import { machineModules } from '../../../src/trust/code.ts';
import { bareWorkspace, type Workspace } from '../../support/cli.ts';
import { faulty, refund, writeMachines } from '../../support/machines.ts';

async function loaded(
  machines: Record<string, string>,
  { maxLoadMs = 5_000, workspace = bareWorkspace() } = {},
) {
  const { folder, ...rest } = await workspace;
  await writeMachines({ folder, ...rest }, machines);
  const files = await loadMachines(machineModules(folder), null, maxLoadMs);
  return Object.fromEntries(files.map(({ name, workflow, reason }) => [name, reason ?? workflow?.id]));
}

describe('a module of machines/', () => {
  it('is used when its default export was made by workflow()', async () => {
    expect(await loaded({ refund })).toEqual({ 'machines/refund.machine.ts': 'refund' });
  });

  it.each([
    [
      'no default export',
      'export const chart = 1;',
      'it has no default export; write: export default workflow(chart)',
    ],
    [
      'another default export',
      'export default { kind: "workflow", id: "x" };',
      /was not made by workflow\(\)/,
    ],
    [
      'a promise',
      'export default new Promise(() => {});',
      'its default export is a promise; write: export default workflow(chart)',
    ],
    ['a promise that fails', 'export default Promise.resolve(1);', /is a promise/],
    [
      'a module that throws',
      '\nthrow new Error("no luck");',
      /^it cannot be loaded: no luck \(at machines\/bad\.machine\.ts:2:7\)$/,
    ],
    ['a module that does not exist', "import './gone.ts';", /^it cannot be loaded: /],
    [
      'a target that does not exist, with the line of the chart',
      "import { createMachine } from 'xstate';\n\ncreateMachine({ id: 'order', initial: 'open', states: { open: { on: { pay: 'piad' } } } });",
      /'order\.open':\nChild state 'piad' does not exist on 'order' \(at machines\/bad\.machine\.ts:3:1\)$/,
    ],
    [
      'a chart that the check refuses',
      faulty,
      /^it cannot run durably: NOT_DURABLE faulty\.looking .*; see "detent workflow check faulty"$/,
    ],
    [
      'a chart with the id of another one',
      refund,
      'machines/a.machine.ts has a chart with the id "refund", too; give each its own',
    ],
  ])('is left out with the reason, and keeps no other one from being used: %s', async (_, bad, reason) => {
    expect(await loaded({ a: refund, bad })).toEqual({
      'machines/a.machine.ts': 'refund',
      'machines/bad.machine.ts': typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
  });

  it('is left out when it waits for something that does not come', async () => {
    const found = await loaded(
      { never: 'await new Promise(() => {});\nexport default 1;' },
      { maxLoadMs: 100 },
    );
    expect(found).toEqual({ 'machines/never.machine.ts': expect.stringContaining('it is still waiting') });
  });

  it('is not loaded when it is a link', async () => {
    const workspace: Workspace = await bareWorkspace();
    await writeMachines(workspace, { 'real.ts': refund });
    await symlink('real.ts', workspace.path('machines/link.machine.ts'));
    const found = await loaded({}, { workspace: Promise.resolve(workspace) });
    expect(found).toEqual({ 'machines/link.machine.ts': 'it is not a regular file' });
  });

  it('has the name of a machine, and lies at the top of the folder', async () => {
    const workspace = await bareWorkspace();
    await writeMachines(workspace, {
      'rules.ts': '',
      'a.machine.json': '',
      'a.machine.tsx': '',
      'b.machine.mjs': '',
    });
    expect(machineModules(workspace.folder).map(({ path }) => path)).toEqual([
      workspace.path('machines/b.machine.mjs'),
    ]);
    expect(machineModules(workspace.path('nowhere'))).toEqual([]);
  });
});
