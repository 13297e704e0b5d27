import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { RunView, WorkflowRunView } from '../../../../src/index.ts';
import { newWorkspace, type Workspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { refund, writeMachines } from '../../../support/machines.ts';

const input = ['--input', '{"order":"o1"}'];

async function withRefund(): Promise<Workspace> {
  const workspace = await newWorkspace();
  await writeMachines(workspace, { refund });
  return workspace;
}

async function parked() {
  const workspace = await withRefund();
  const { view } = await workspace.json<WorkflowRunView>(['workflow', 'start', 'refund', ...input]);
  return { workspace, runId: view.runId };
}

describe.concurrent('workflow start', () => {
  it('prints the states as they come, and ends with what the run waits for and the command that answers', async () => {
    const workspace = await withRefund();
    const { code, stdout, stderr } = await workspace.detent(['workflow', 'start', 'refund', ...input]);
    const { runId } = (await workspace.withLibrary(({ runs }) => runs.list())).at(-1) ?? {};
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('· run.start → approving\n');
    expect(stderr).toContain(`run ${runId} is parked in approving and waits for an answer:
  approval: Refund o1?
    detent workflow answer ${runId} approval --approve | --reject [--reason TEXT]
`);
  });

  it('is one run of the list, with its question below; a fork of the question alone says what it is', async () => {
    const workspace = await withRefund();
    await workspace.detent(['workflow', 'start', 'refund', ...input]);
    const listed = await workspace.detent(['runs', 'list', '--limit', '1']);
    const [run, question, ...more] = listed.stdout.split('\n');
    const [runId = ''] = run?.split(' ') ?? [];
    expect([run, question, more]).toEqual([
      expect.stringMatching(/^run_\w+ .*workflow refund/),
      expect.stringMatching(new RegExp(`^  ${runId}\\.c\\d+ .*waiting`)),
      [''],
    ]);
    const [questionId = ''] = question?.trim().split(' ') ?? [];
    const forked = await workspace.detent(['runs', 'fork', questionId, '--at', '1']);
    expect(forked.stderr).toContain(`to copy that one: detent runs fork ${runId} --at SEQ\n`);
  });

  it('--key: a second start gets the run of the first', async () => {
    const workspace = await withRefund();
    const start = () => workspace.json(['workflow', 'start', 'refund', ...input, '--key', 'k']);
    const [first, second] = [await start(), await start()];
    expect(second.view.runId).toBe(first.view.runId);
    const other = await workspace.detent([
      'workflow',
      'start',
      'refund',
      '--input',
      '{"order":"o2"}',
      '--key',
      'k',
    ]);
    expect(other.stderr).toContain('same idempotencyKey');
  });

  it('--detach stores the run alone; a resume goes on with it', async () => {
    const workspace = await withRefund();
    const { code, stdout } = await workspace.detent(['workflow', 'start', 'refund', ...input, '--detach']);
    expect(code).toBe(0);
    const runId = stdout.trim();
    expect((await workspace.withLibrary(({ runs }) => runs.list())).map((run) => run.runId)).toEqual([runId]);
    const resumed = await workspace.json<WorkflowRunView>(['runs', 'resume', runId]);
    expect(resumed.view).toMatchObject({ status: 'waiting', pending: [{ why: 'Refund o1?' }] });
  });

  it.each([
    [['--input', '{"order":'], 2, '--input takes JSON'],
    [['--input', '@gone.json'], 2, '--input @gone.json cannot be read'],
    [['--input', '{"order":1}'], 2, 'does not fit its schema: order'],
    [[], 2, 'does not fit its schema'],
  ])('refuses a wrong input: %j', async (flags, exitCode, why) => {
    const { code, stderr } = await (await withRefund()).detent(['workflow', 'start', 'refund', ...flags]);
    expect(code).toBe(exitCode);
    expect(stderr).toContain(why);
  });

  it('reads the input from stdin and from a file', async () => {
    const workspace = await withRefund();
    await workspace.write('order.json', '{"order":"of a file"}');
    const file = await workspace.json(['workflow', 'start', 'refund', '--input', '@order.json']);
    expect(file.view.pending).toMatchObject([{ why: 'Refund of a file?' }]);
    const stdin = await workspace.json(['workflow', 'start', 'refund', '--input', '-'], {
      input: '{"order":"o9"}',
    });
    expect(stdin.view.pending).toMatchObject([{ why: 'Refund o9?' }]);
  });

  itDeep('Ctrl-C leaves the run as it is', async () => {
    const workspace = await newWorkspace();
    const slow = refund
      .replace("=> 'paid ' + order", '=> new Promise(() => {})')
      .replace("initial: 'approving'", "initial: 'paying'");
    await writeMachines(workspace, { refund: slow });
    const live = workspace.start(['workflow', 'start', 'refund', ...input]);
    await live.saw('stderr', /→ paying/);
    live.kill('SIGINT');
    const { code, stderr } = await live.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/left run (run_\w+) as it is; resume it with: detent runs resume \1/);
    expect((await workspace.lookAtOne()).status).toBe('interrupted');
  });
});

describe.concurrent('workflow start with a model', () => {
  const judge = `
import { setup } from 'xstate';
import { z } from 'zod';
import { model, workflow } from 'detent/workflow';

const risk = model({ prompt: () => 'How risky?', output: z.object({ risk: z.enum(['low', 'high']) }) });
export default workflow(
  setup({ actors: { risk } }).createMachine({
    id: 'judge',
    initial: 'judging',
    output: ({ event }) => event.output,
    states: {
      judging: { invoke: { id: 'assess', src: 'risk', onDone: 'over' } },
      over: { type: 'final', output: ({ event }) => event.output },
    },
  }),
);
`;
  const court = `${judge.replace('export default', 'const judge =')}
export default workflow(
  setup({ actors: { chart: judge.chart } }).createMachine({
    id: 'court',
    initial: 'trying',
    states: { trying: { invoke: { id: 'trial', src: 'chart', onDone: 'over' } }, over: { type: 'final' } },
  }),
);
`;
  const ofModels = async () => {
    const workspace = await newWorkspace();
    await writeMachines(workspace, { judge, court });
    await workspace.write('answers.json', '[{"output":{"risk":"high"}}]');
    return workspace;
  };
  const start = ['workflow', 'start', 'judge'];
  const env = { DETENT_MODEL: 'script/answers.json' };

  it('takes it from --model or DETENT_MODEL', async () => {
    const workspace = await ofModels();
    for (const [words, options] of [
      [['--model', 'script/answers.json'], {}],
      [[], { env }],
    ] as const) {
      const { code, stdout, stderr } = await workspace.detent([...start, ...words], options);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '{"risk":"high"}\n' });
      expect(stderr).not.toContain('the demo answers');
    }
  });

  itDeep(
    'says that the demo answers, where none is named; a script of the configuration lies beside it',
    async () => {
      const workspace = await ofModels();
      expect((await workspace.detent(start)).stderr).toContain(
        'no model is configured, so the demo answers for assess',
      );
      expect((await workspace.detent(['workflow', 'start', 'court'])).stderr).toContain(
        'the demo answers for trial.assess by fixed rules',
      );
      await workspace.write('detent.config.json', '{"model":"script/answers.json"}');
      await mkdir(workspace.path('deeper'));
      const words = [...start, '--workspace', workspace.folder, '--trust'];
      const { stdout } = await workspace.detent(words, { cwd: workspace.path('deeper') });
      expect(stdout).toBe('{"risk":"high"}\n');
    },
  );
});

describe.concurrent('workflow answer', () => {
  it('goes on with the run, whose output is on stdout', async () => {
    const { workspace, runId } = await parked();
    const { code, stdout, stderr } = await workspace.detent([
      'workflow',
      'answer',
      runId,
      'approval',
      '--approve',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '"paid"\n' });
    expect(stderr).toContain('· approval done → paying\n');
    const late = await workspace.detent(['workflow', 'answer', runId, 'approval', '--reject']);
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`"approval" of run ${runId} is already answered: approved`),
    });
  });

  it('--detach records it alone', async () => {
    const { workspace, runId } = await parked();
    const answered = await workspace.json<RunView>([
      'workflow',
      'answer',
      runId,
      'approval',
      '--reject',
      '--detach',
    ]);
    expect(answered).toMatchObject({ code: 0, view: { runId, verdict: 'reject', applied: true } });
    expect((await workspace.detent(['runs', 'resume', runId, '--quiet'])).stdout).toBe('"refused"\n');
  });

  it.each([
    [['approval'], 2, 'choose one of'],
    [['approval', '--approve', '--reject'], 2, 'choose one of'],
    [['approval', '--form', '[1]'], 2, '--form takes an object'],
    [['approval', '--answer', 'yes'], 2, 'is to be approved or rejected'],
    [['pay', '--approve'], 1, 'does not ask "pay": it asks "approval" now'],
  ])('refuses %j', async (words, exitCode, why) => {
    const { workspace, runId } = await parked();
    const { code, stderr } = await workspace.detent(['workflow', 'answer', runId, ...words]);
    expect(code).toBe(exitCode);
    expect(stderr).toContain(why);
  });
});

describe.concurrent('workflow send', () => {
  it('moves the run, whose output is on stdout; later the chart takes the event no more', async () => {
    const { workspace, runId } = await parked();
    const sent = await workspace.detent(['workflow', 'send', runId, 'order.recalled', '--quiet']);
    expect(sent).toMatchObject({ code: 0, stdout: '"refused"\n', stderr: '' });
    const again = await workspace.json<object>(['workflow', 'send', runId, 'order.recalled']);
    expect(again).toMatchObject({ code: 1, view: { runId, taken: false, status: 'done' } });
  });

  it('shows the transition of the event, and says of a repeated one that it was sent', async () => {
    const { workspace, runId } = await parked();
    const send = ['workflow', 'send', runId, 'order.recalled', '--key', 'once'];
    expect((await workspace.detent(send)).stderr).toContain('· order.recalled → refused\n');
    expect((await workspace.detent(send)).stderr).toContain('already sent\n');
    expect((await workspace.detent([...send, '--detach'])).stdout).toBe('already sent\n');
  });

  it.each([
    [['order.recalled', '--data', '[1]'], '--data takes an object'],
    [['order.recalled', '--data', '{"type":"x"}'], 'EVENT is the'],
    [['xstate.done.actor.approval'], 'is an event that Detent sends itself'],
    [['order.recaled'], 'has no event "order.recaled"; did you mean "order.recalled"?'],
    [['order.lost'], 'has no event "order.lost"; it takes order.recalled'],
  ])('refuses %j', async (words, why) => {
    const { workspace, runId } = await parked();
    const { code, stderr } = await workspace.detent(['workflow', 'send', runId, ...words]);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  });
});

it('a run of a new conversation loads no machine', async () => {
  const workspace = await newWorkspace();
  await writeMachines(workspace, {
    tells:
      "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('loaded', import.meta.url), '');\n",
  });
  const isLoaded = () => existsSync(workspace.path('machines/loaded'));
  expect(await workspace.detent(['run', '--quiet', 'What is 1 + 1?'])).toMatchObject({ code: 0, stderr: '' });
  expect(isLoaded()).toBe(false);
  const { stderr } = await workspace.detent(['runs', 'resume', '--all']);
  expect(isLoaded()).toBe(true);
  expect(stderr).toContain('machines/tells.machine.ts is not used');
});
