import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { newWorkspace, type Workspace } from '../../../support/cli.ts';
import { writeMachines } from '../../../support/machines.ts';

/** Asks two questions, then waits for the clock; a cancellation is undone by a step. */
const trip = `
import { setup } from 'xstate';
import { z } from 'zod';
import { ask, step, workflow } from 'detent/workflow';

const chart = setup({
  actors: {
    where: ask({ question: () => 'Where to?', form: z.object({ place: z.string(), nights: z.number() }) }),
    colour: ask({ question: () => 'Which suitcase?', options: ['red', 'blue'] }),
    giveBack: step({ sideEffect: 'idempotent', retry: { attempts: 2, delayMs: 100 }, run: () => 'free' }),
  },
}).createMachine({
  id: 'trip',
  version: '1',
  initial: 'planning',
  states: {
    planning: { invoke: { id: 'where', src: 'where', onDone: 'packing', onError: 'over' } },
    packing: { invoke: { id: 'colour', src: 'colour', onDone: 'waiting', onError: 'over' } },
    waiting: { on: { 'run.cancel': 'givingBack' }, after: { 86_400_000: 'over' } },
    givingBack: { invoke: { id: 'giveBack', src: 'giveBack', onDone: 'over', onError: 'over' } },
    over: { type: 'final' },
  },
});

export default workflow(chart);
`;

/** What a command says on stdout, then on stderr. */
async function typed(workspace: Workspace, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await workspace.detent([...words]);
  return `${stdout}${stderr}`;
}

describe('a workflow whose chart was edited', () => {
  it('is ended by a cancellation, which says that nothing was undone', async () => {
    const workspace = await newWorkspace();
    await writeMachines(workspace, { trip });
    await workspace.detent(['workflow', 'start', 'trip']);
    await rm(workspace.path('machines/trip.machine.ts'));
    await writeMachines(workspace, { edited: trip.replaceAll('planning', 'choosing') });
    const run = (await workspace.withLibrary(({ runs }) => runs.list())).at(-1);
    const { stdout: checked } = await workspace.detent(['workflow', 'check', 'trip']);
    expect(checked).toContain(
      '1 run of this chart cannot continue, because it was edited and kept its version',
    );
    expect(checked).toContain(`see: detent runs why ${run?.runId}`);
    const why = await typed(workspace, 'runs', 'why', 'last');
    expect(why).toContain('CHART_CHANGED');
    const [, cancel = ''] = /^ +detent (runs cancel \S+)$/m.exec(why) ?? [];
    expect(await typed(workspace, ...cancel.split(' '))).toBe(
      'cancelled, without its chart, which has changed: nothing was compensated\n',
    );
  });
});

describe('a workflow of a newer version', () => {
  it('leaves its older runs as they are: check, resume and why say so, once and with the exit code', async () => {
    const workspace = await newWorkspace();
    await writeMachines(workspace, { trip });
    await workspace.detent(['workflow', 'start', 'trip']);
    await rm(workspace.path('machines/trip.machine.ts'));
    await writeMachines(workspace, { newer: trip.replace("version: '1'", "version: '2'") });
    expect((await workspace.detent(['workflow', 'check'])).stdout).toContain(
      '1 run of an earlier version cannot continue, because this one has no migration for them (MIGRATION_NEEDED): run_',
    );
    expect((await workspace.detent(['doctor'])).stdout).toMatch(
      /1 cannot continue, one of them run_\w+: its chart has no migration from their version \(MIGRATION_NEEDED\)/,
    );
    const refusal = /^detent: run run_\w+ is of version 1 of machine "workflow:trip", and [^\n]+\n$/;
    const resume = () => workspace.detent(['runs', 'resume', 'last']);
    expect(await resume()).toMatchObject({ code: 3, stderr: expect.stringMatching(refusal) });
    const form = ['workflow', 'answer', 'last', 'where', '--form', '{"place":"Rome","nights":2}'];
    const answered = await workspace.detent(form);
    expect(answered.code).toBe(3);
    expect(answered.stderr).toContain(
      'decided: answer\nthe decision is stored, and counts once the run can continue\n',
    );
    expect(await resume()).toMatchObject({ code: 3, stderr: expect.stringMatching(refusal) });
    await workspace.detent(['workflow', 'start', 'trip', '--detach']);
    const all = await workspace.detent(['runs', 'resume', '--all']);
    expect(all).toMatchObject({ code: 3, stderr: expect.stringMatching(refusal) });
    expect(all.stdout).toMatch(/^run_\w+ {2}waiting\n$/);
    const [, older = ''] = /run (run_\w+)/.exec(all.stderr) ?? [];
    expect(await typed(workspace, 'runs', 'why', older)).toContain(
      'needs version 1 of the workflow "trip", which this program does not have (MIGRATION_NEEDED)',
    );
  });
});

describe('a workflow whose tool asks', () => {
  it('shows the call with its arguments, beside the command that approves it', async () => {
    const workspace = await newWorkspace();
    const receipt = `
import { setup } from 'xstate';
import { tool, workflow } from 'detent/workflow';

const input = { path: 'receipt.txt', content: '12 EUR' };
const chart = setup({ actors: { write: tool('write_file') } }).createMachine({
  id: 'shop',
  version: '1',
  initial: 'writing',
  states: {
    writing: { invoke: { id: 'receipt', src: 'write', input, onDone: 'over', onError: 'over' } },
    over: { type: 'final' },
  },
});
export default workflow(chart);
`;
    await writeMachines(workspace, { receipt });
    const { stderr } = await workspace.detent(['workflow', 'start', 'shop']);
    expect(stderr).toContain(
      '  receipt: write_file {"path":"receipt.txt","content":"12 EUR"}  (tool default: write_file asks)\n    detent workflow answer ',
    );
  });
});

describe('a workflow that waits', () => {
  it('says what may be answered, that it waits for the clock, and that its chart takes a cancellation', async () => {
    const workspace = await newWorkspace();
    // The command stays for a retry that is due soon.
    const failsOnce =
      "run: () => { if (globalThis.tried) return 'free'; globalThis.tried = true; throw new Error('busy'); }";
    await writeMachines(workspace, { trip: trip.replace("run: () => 'free'", failsOnce) });
    expect(await typed(workspace, 'workflow', 'start', 'trip')).toContain(
      '  where: Where to? (place: text, nights: number)\n',
    );
    const runId = (await workspace.withLibrary(({ runs }) => runs.list())).at(-1)?.runId ?? '';
    const form = ['workflow', 'answer', runId, 'where', '--form', '{"place":"Rome","nights":2}'];
    expect(await typed(workspace, ...form)).toContain('  colour: Which suitcase? (red, blue)\n');
    expect(await typed(workspace, 'workflow', 'answer', runId, 'colour', '--approve')).toContain(
      `"colour" of run ${runId} asks for an answer (red, blue): detent workflow answer ${runId} colour --answer TEXT, or --reject`,
    );
    const { stdout: why } = await workspace.detent(['runs', 'why', runId], {
      env: { npm_lifecycle_event: 'detent', npm_package_name: 'detent' },
    });
    expect(why).toContain(`npm run -s detent -- workflow answer ${runId} colour`);
    expect(why).toMatch(/ is waiting for an answer to "Which suitcase\?" \([\d.]+ m?s, since /);
    expect(why).toContain('a person must answer a question: c1');
    expect(why).not.toContain('ask({');
    expect(await typed(workspace, 'runs', 'why', runId)).toContain(
      `detent workflow answer ${runId} colour --answer TEXT\n`,
    );
    expect(await typed(workspace, 'runs', 'why', runId)).toMatch(
      /in 7 days, at .*, the question fails with EXPIRED\n/,
    );
    expect(await typed(workspace, 'runs', 'confirm', runId, 'approve', '--approve')).toContain(
      `"detent runs show ${runId}" lists those of a run`,
    );
    expect(await typed(workspace, 'runs', 'fork', runId, '--at', '1')).toContain(
      'where (c1): starts on resume, and asks first if it acts; a question is asked again\n',
    );
    const answer = ['workflow', 'answer', runId, 'colour', '--answer', 'red'];
    expect(await typed(workspace, ...answer)).toContain(`run ${runId} is waiting in waiting until `);
    expect(await typed(workspace, 'runs', 'cancel', runId)).toBe(
      `its chart handles the cancellation, in givingBack: resume it with: detent runs resume ${runId}\n`,
    );
    expect(await typed(workspace, 'runs', 'resume', runId)).toContain(
      '· giveBack failed → givingBack\n· retry of giveBack → givingBack\n· giveBack done → over\n',
    );
    expect(await typed(workspace, 'runs', 'why', runId)).not.toContain('What to do next');
  });

  it('asks for no more decisions after the one on a step whose process died', async () => {
    const workspace = await newWorkspace();
    const killed = trip
      .replace(
        "'idempotent', retry: { attempts: 2, delayMs: 100 }, run: () => 'free'",
        "'unsafe', run: () => process.kill(process.pid, 'SIGKILL')",
      )
      .replace("initial: 'planning'", "initial: 'givingBack'")
      .replace("src: 'giveBack', onDone: 'over'", "src: 'giveBack', onDone: 'waiting'");
    await writeMachines(workspace, { trip: killed });
    expect((await workspace.start(['workflow', 'start', 'trip']).ended).signal).toBe('SIGKILL');
    const runId = (await workspace.withLibrary(({ runs }) => runs.list())).at(-1)?.runId ?? '';
    expect(await typed(workspace, 'runs', 'why', runId)).toContain(
      '"giveBack" is unsafe: on resume Detent asks you whether it ran',
    );
    expect(await typed(workspace, 'runs', 'resume', runId)).toContain(
      `runs reconcile ${runId} c1 --ran [--result JSON] | --retry | --skip\n`,
    );
    expect(await typed(workspace, 'runs', 'show', runId)).toContain(
      'giveBack c1: a person must say whether it ran: the process died while step "giveBack" was running\n',
    );
    const ran = ['runs', 'reconcile', runId, 'giveBack', '--ran'];
    const slip = await workspace.detent([...ran, '--result', ' {"free":2']);
    expect(slip.code).toBe(2);
    expect(slip.stderr).toContain('begins like JSON and is not');
    expect(await typed(workspace, 'workflow', 'answer', runId, 'giveBack', '--approve')).toContain(
      `"giveBack" of run ${runId} is a step that may have run: say so with "detent runs reconcile ${runId} c1"`,
    );
    expect(await typed(workspace, 'workflow', 'answer', runId, 'where', '--approve')).toContain(
      `run ${runId} does not ask "where": it asks nothing now`,
    );
    const other = await workspace.detent(['runs', 'reconcile', runId, 'giveback', '--ran']);
    expect(other.stderr).toContain('"giveback" is not a call id');
    expect(await typed(workspace, 'runs', 'reconcile', runId, 'giveBack', '--ran')).toBe(
      `decided: ran\nrun ${runId} waits for an event or a timer: detent runs why ${runId}\n`,
    );
  });
});
