import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { DetentError } from '../../../src/protocol/error.ts';
import type { ChatModel } from '../../../src/protocol/ports.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { modelOptions, tool } from '../../support/detent.ts';
import { expectReplays } from '../../support/left-behind.ts';

const full = new DetentError('DATABASE_FULL', 'the disk is full', { retryable: true });

/** What was read outside of commits of sessions and their conversations. */
let read: string[] = [];
/** Commits that fail from now on. */
let failing = 0;

beforeEach(() => {
  read = [];
  failing = 0;
});

function watched(model: ChatModel, look = () => 'seen') {
  const tools = { define: [tool('look', { run: look })], allowed: ['look'] };
  const detent = assemble(modelOptions(model, { tools }), {
    store: (store) => ({
      async commit(program, key) {
        if (failing-- > 0) throw full;
        return store.commit(program, key);
      },
      query(name, input) {
        if (['findSession', 'listMessages', 'lastSummary'].includes(name)) read.push(name);
        return store.query(name, input);
      },
      close: () => store.close(),
    }),
  });
  onTestFinished(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  return detent;
}

const look = { toolCalls: [{ name: 'look', arguments: {} }] };
const rolesOf = (request: { messages: readonly { role: string }[] } | undefined) =>
  request?.messages.map(({ role }) => role).filter((role) => role !== 'system');

it('is not read by the first run of a session, and once by a later one', async () => {
  const model = scriptedModel([look, look, { text: 'one' }, look, look, { text: 'two' }]);
  const detent = watched(model);
  await detent.run('first', { sessionId: 's' }).result;
  expect(read).toEqual([]);
  expect(rolesOf(model.requests[2])).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
  await detent.run('second', { sessionId: 's' }).result;
  expect(read).toEqual(['findSession', 'listMessages']);
  const first = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'];
  expect(rolesOf(model.requests[3])).toEqual([...first, 'user']);
  expect(rolesOf(model.requests[5])).toEqual([...first, 'user', 'assistant', 'tool', 'assistant', 'tool']);
});

it('has what a person says meanwhile', async () => {
  const model = scriptedModel([look, { text: 'done' }]);
  const said = Promise.withResolvers<void>();
  const detent = watched(model, () => said.promise.then(() => 'seen') as never);
  const run = detent.run('go');
  await run.started;
  await expect.poll(() => model.requests.length).toBe(1);
  await run.steer('and quickly');
  said.resolve();
  await run.result;
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('and quickly');
  expect(read).toEqual([]);
});

it('is thrown away when a commit fails, and read from the rows', async () => {
  const model = scriptedModel([look, look, { text: 'done' }]);
  let looks = 0;
  const detent = watched(model, () => {
    if (++looks === 1) failing = 1;
    return `seen ${looks}`;
  });
  expect(await detent.run('go').result).toMatchObject({ status: 'done', text: 'done' });
  expect(read).toEqual(['findSession', 'listMessages']);
  expect(rolesOf(model.requests[2])).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
});

it('begins behind the place where its session was cleared', async () => {
  const model = scriptedModel([{ text: 'one' }, look, { text: 'two' }]);
  const detent = watched(model);
  await detent.run('first', { sessionId: 's' }).result;
  await detent.sessions.clear('s');
  read = [];
  await detent.run('second', { sessionId: 's' }).result;
  expect(read).toEqual(['findSession', 'lastSummary', 'listMessages']);
  expect(rolesOf(model.requests[1])).toEqual(['user']);
});
