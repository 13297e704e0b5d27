import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bareWorkspace, type Workspace } from '../../../support/cli.ts';
import { faulty, refund, writeMachines } from '../../../support/machines.ts';

async function withMachines(machines: Record<string, string>): Promise<Workspace> {
  const workspace = await bareWorkspace();
  await writeMachines(workspace, machines);
  return workspace;
}

describe.concurrent('workflow list', () => {
  it('prints each workflow, and on stderr why other files are not used; makes no database', async () => {
    const workspace = await withMachines({ refund, faulty, empty: 'export {};' });
    const { code, stdout, stderr } = await workspace.detent(['workflow', 'list']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'refund  1  machines/refund.machine.ts  A refund that a person approves.\n',
    });
    expect(stderr).toMatch(/^detent: machines\/empty\.machine\.ts is not used: it has no default export/m);
    expect(stderr).toMatch(/^detent: machines\/faulty\.machine\.ts is not used: it cannot run durably/m);
    expect(existsSync(workspace.path('.detent'))).toBe(false);
  });

  it('--json has both', async () => {
    const workspace = await withMachines({ refund, empty: 'export {};' });
    const { view } = await workspace.json<object>(['workflow', 'list']);
    expect(view).toEqual({
      workflows: [expect.objectContaining({ id: 'refund', version: 1, events: ['order.recalled'] })],
      unused: [{ file: 'machines/empty.machine.ts', reason: expect.stringContaining('no default export') }],
    });
  });
});

describe.concurrent('workflow show', () => {
  it('prints states, services and events', async () => {
    const workspace = await withMachines({ refund });
    const { code, stdout } = await workspace.detent(['workflow', 'show', 'refund']);
    expect(code).toBe(0);
    for (const line of [
      'workflow  refund, version 1',
      'state     paid (final)',
      'service   approval: ask approve',
      'service   pay: step',
      'event     order.recalled',
    ])
      expect(stdout).toContain(`${line}\n`);
  });

  it('names what is there for an id that is not', async () => {
    const workspace = await withMachines({ refund });
    const { code, stderr } = await workspace.detent(['workflow', 'show', 'refnud']);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: 'detent: there is no workflow "refnud" in machines/; did you mean "refund"?\n',
    });
  });
});

describe.concurrent('a workflow whose file cannot be used', () => {
  it('is known by the name of its file, which says why', async () => {
    const workspace = await withMachines({ refund, order: 'export default 5;' });
    for (const command of ['show', 'start']) {
      const { code, stderr } = await workspace.detent(['workflow', command, 'order']);
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringMatching(
          /machines\/order\.machine\.ts is not used: its default export was not made by/,
        ),
      });
    }
  });

  it('may be one that is not found', async () => {
    const workspace = await withMachines({ refund, order: 'export default 5;' });
    const { code, stderr } = await workspace.detent(['workflow', 'start', 'purchase']);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr:
        'detent: there is no workflow "purchase" in machines/; there are: refund (machines/order.machine.ts cannot be used: see "detent workflow list")\n',
    });
  });
});

describe.concurrent('workflow check', () => {
  it('is 0 for a sound chart', async () => {
    const workspace = await withMachines({ refund });
    const ended = await workspace.detent(['workflow', 'check']);
    expect(ended).toMatchObject({ code: 0, stdout: 'machines/refund.machine.ts  refund, version 1: ok\n' });
  });

  it('prints state, reason and remedy of each finding, and is 1 for an error', async () => {
    const workspace = await withMachines({ refund, faulty });
    const { code, stdout } = await workspace.detent(['workflow', 'check', 'machines/faulty.machine.ts']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^machines\/faulty\.machine\.ts {2}faulty, version 1: 1 error\n {2}error NOT_DURABLE in faulty\.looking\n {4}\S.*\n {4}→ \S/,
    );
    expect(stdout).not.toContain('refund');
    expect((await workspace.detent(['workflow', 'check', 'refund'])).code).toBe(0);
    expect((await workspace.detent(['workflow', 'check', 'gone'])).code).toBe(4);
  });

  it('warns of agents and tools that this folder does not have', async () => {
    const workspace = await withMachines({
      lost: `
import { setup } from 'xstate';
import { agent, tool, workflow } from 'detent/workflow';

const actors = { ask: agent({ agent: 'asessor', prompt: () => '' }), look: tool('read_fil'), list: tool('list_files') };
const invoking = (src) => ({ invoke: { id: src, src, onDone: 'over', onError: 'over' } });
export default workflow(
  setup({ actors }).createMachine({
    id: 'lost',
    version: '1',
    initial: 'a',
    states: { a: invoking('ask'), b: invoking('look'), c: invoking('list'), over: { type: 'final' } },
  }),
);
`,
    });
    await workspace.write('detent.config.json', '{"agents":{"assessor":{}}}');
    const { code, stdout } = await workspace.detent(['workflow', 'check']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '"ask" names the agent "asessor", which is not there; did you mean "assessor"?\n    → add it to "agents" of the configuration, which has default, assessor; a program has its own\n',
    );
    expect(stdout).toContain(
      '"look" names the tool "read_fil", which is not there; did you mean "read_file"?\n',
    );
    expect(stdout).toContain(': ok, 2 warnings\n');
  });

  it('is 1 for a file that cannot be used, and --json has the reason', async () => {
    const workspace = await withMachines({ empty: 'export {};' });
    const { code, view } = await workspace.json<object[]>(['workflow', 'check']);
    expect(code).toBe(1);
    expect(view).toEqual([
      {
        file: 'machines/empty.machine.ts',
        id: null,
        version: null,
        reason: expect.stringContaining('no default export'),
        findings: [],
        changedRuns: [],
        unmigratedRuns: [],
      },
    ]);
  });
});
