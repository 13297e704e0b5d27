import { expect, it, onTestFinished } from 'vitest';
import { setup } from 'xstate';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { ask } from '../../../src/workflow/services.ts';
import { workflow } from '../../../src/workflow/workflow.ts';
import { serve } from '../../gateway/support.ts';
import { newWorkspace } from '../../support/cli.ts';

const tea = workflow(
  setup({
    types: { events: {} as { type: 'guest.left' } },
    actors: { kind: ask({ question: () => 'Which tea?', options: ['green', 'black'] }) },
  }).createMachine({
    id: 'tea',
    version: '1',
    description: 'Asks which tea.',
    initial: 'asking',
    output: ({ event }) => event.output,
    states: {
      asking: {
        invoke: { id: 'kind', src: 'kind', onDone: 'made', onError: 'gone' },
        on: { 'guest.left': 'gone' },
      },
      made: { type: 'final', output: ({ event }) => (event as { output?: unknown }).output },
      gone: { type: 'final', output: 'no tea' },
    },
  }),
);

async function served() {
  const workspace = await newWorkspace();
  const detent = createDetent({ workspace: workspace.folder, env: {}, model: 'demo/demo', workflows: [tea] });
  onTestFinished(() => detent.close());
  const { url, token } = await serve(detent);
  const env = { DETENT_TOKEN: await token() };
  return (...args: string[]) => workspace.detent(['workflow', ...args, '--server', url], { env });
}

const idIn = (text: string) => /run_[a-z0-9]{16}/.exec(text)?.[0] ?? '';

it('with --server the workflows are those of the gateway', async () => {
  const remote = await served();
  expect(await remote('list')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tea +1 +Asks/) });
  expect((await remote('show', 'tea')).stdout).toContain('event     guest.left\n');
  expect(await remote('show', 'coffee')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('it has tea'),
  });
  expect(await remote('check')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('works only in the folder of the gateway itself'),
  });
});

it('with --server a run is started, followed, answered and sent events there', async () => {
  const remote = await served();
  const begun = await remote('start', 'tea');
  const runId = idIn(begun.stderr);
  expect(begun).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(`detent workflow answer --server \\S+ ${runId} kind --answer TEXT`),
  });
  const answered = await remote('answer', runId, 'kind', '--answer', 'green');
  expect(answered).toMatchObject({ code: 0, stdout: '"green"\n' });
  const { stdout } = await remote('start', 'tea', '--detach', '--quiet');
  const sent = await remote('send', stdout.trim(), 'guest.left', '--quiet');
  expect(sent).toMatchObject({ code: 0, stdout: '"no tea"\n', stderr: '' });
});
