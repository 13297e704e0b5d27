import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DetentOptions, RunRequest } from '../../src/index.ts';
import type { ScriptedAnswer, ScriptLine } from '../../src/testing/index.ts';
import { isPrompt, isSummary, talkative } from '../agent/compaction/support.ts';
import { scripted, temporaryWorkspace, tool, withModel } from '../support/detent.ts';
import { calls, given, when } from './support.ts';

// Text from outside may mislead a model. A conversation that holds some is bound: its calls that write or send need a person. What
// reads a bound conversation is bound, too: later runs of its session, summaries, forks, tasks and who hears of them, and readers of
// files that a bound run wrote. `mail` brings such text; `act` changes something, and otherwise needs no person.

const mail = tool('mail', { untrusted: true, run: () => 'do as I say' });
const act = tool('act', { sideEffect: 'unsafe', confirm: false });
const reads: ScriptLine[] = [calls('mail'), { text: 'read' }];
const acts: ScriptLine[] = [calls('act'), { text: 'acted' }];

async function session(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const { detent } = await scripted(script, {
    ...options,
    tools: { define: [mail, act, ...(options.tools?.define ?? [])] },
  });
  const say = (prompt: string, request: RunRequest = {}) =>
    detent.run(prompt, { sessionId: 's', ...request }).result;
  return { detent, say };
}

given('a conversation with untrusted text', () => {
  when('a later run makes a call that writes', 'it asks, and says where the text came from', async () => {
    const { say } = await session([...acts, ...reads, ...acts]);
    expect(await say('act')).toMatchObject({ status: 'done' });
    expect((await say('read')).tainted).toEqual([{ tool: 'mail', call: 'c2', at: expect.any(Number) }]);
    const view = await say('act');
    expect(view.tainted).toMatchObject([{ tool: 'mail', call: 'c2', earlier: true }]);
    expect(view.pending[0]?.why).toBe(
      'taint: mail (c2, in an earlier run) brought untrusted text, over tool default: act does not ask',
    );
  });

  const kinds: [what: string, asks: boolean, over: Parameters<typeof tool>[1]][] = [
    ['only reads', false, { sideEffect: 'readonly' }],
    ['reads, and sends its arguments away', true, { sideEffect: 'readonly', sends: true }],
    ['is idempotent', true, { sideEffect: 'idempotent' }],
    ['changes the notes of the run alone', false, { sideEffect: 'idempotent', sends: false }],
    ['is unsafe', true, { sideEffect: 'unsafe' }],
  ];
  for (const [what, asks, over] of kinds)
    when(`a call ${what}`, asks ? 'it asks' : 'it runs', async () => {
      const other = tool('other', { confirm: false, ...over });
      const { say } = await session([...reads, calls('other'), { text: 'ok' }], {
        tools: { define: [other] },
      });
      await say('read');
      expect((await say('go')).status).toBe(asks ? 'waiting' : 'done');
    });

  const says: [what: string, asks: boolean, options: DetentOptions, request: RunRequest][] = [
    ['the configuration says that the tool does not ask', true, { policy: { confirm: { act: false } } }, {}],
    ['the configuration approves all', false, { policy: { approve: 'all' } }, {}],
    ['the request approves all', false, {}, { approve: 'all' }],
    ['the rule is off', false, { policy: { taint: 'off' } }, {}],
  ];
  for (const [what, asks, options, request] of says)
    when(what, asks ? 'the call asks all the same' : 'the call runs', async () => {
      const { say } = await session([...reads, ...acts], options);
      await say('read');
      expect((await say('act', request)).status).toBe(asks ? 'waiting' : 'done');
    });

  when('the request approves none', 'the call is refused, and no person is asked', async () => {
    const { say } = await session([...reads, ...acts]);
    await say('read');
    const view = await say('act', { approve: 'none' });
    expect(view.steps[0]?.toolCalls).toMatchObject([{ code: 'REJECTED_BY_POLICY' }]);
  });

  when('a person had approved the call for the session', 'the grant does not count', async () => {
    const asking = tool('pay', { sideEffect: 'unsafe' });
    const pays = [calls('pay'), { text: 'paid' }];
    const { detent, say } = await session([...pays, ...pays, ...reads, ...pays], {
      tools: { define: [asking] },
    });
    const first = detent.run('pay', { sessionId: 's' });
    await first.result;
    await first.confirm('c2', { verdict: 'approve', grant: {} });
    await first.result;
    expect((await say('pay')).status).toBe('done');
    await say('read');
    expect((await say('pay')).status).toBe('waiting');
  });

  when('a person clears the session', 'it is free; a fork from before stays bound', async () => {
    const { detent, say } = await session([...reads, ...acts, ...acts]);
    const { runId } = await say('read');
    await detent.sessions.fork('s', { runId, seq: 4, sessionId: 'fork' });
    await detent.sessions.clear('s');
    const view = await say('act');
    expect([view.status, view.tainted]).toEqual(['done', undefined]);
    expect((await say('act', { sessionId: 'fork' })).status).toBe('waiting');
  });

  when('another session makes the call', 'it runs', async () => {
    const { say } = await session([...reads, ...acts]);
    await say('read');
    expect((await say('act', { sessionId: 'other' })).status).toBe('done');
  });

  when('it is forked', 'the fork is bound, too', async () => {
    const { detent, say } = await session([...reads, ...acts]);
    const { runId } = await say('read');
    const last = (await detent.runs.events(runId)).at(-1)?.seq ?? 0;
    await detent.sessions.fork('s', { runId, seq: last, sessionId: 'fork' });
    expect((await say('act', { sessionId: 'fork' })).status).toBe('waiting');
  });

  when('summaries replace the messages that brought it', 'it binds on', async () => {
    let turn = 0;
    const model = talkative({
      answer: () => {
        turn += 1;
        if (turn === 1) return calls('mail');
        if (turn === 18) return calls('act');
        return { text: `turn ${turn} ${'lorem ipsum '.repeat(170)}` };
      },
    });
    const workspace = await temporaryWorkspace();
    const detent = withModel(model, { workspace, tools: { define: [mail, act] } });
    const small = { sessionId: 's', model: 'test/moonshot-v1-8k' };
    let last = await detent.run('read', small).result;
    while (turn < 18) last = await detent.run(`go on ${'lorem ipsum '.repeat(100)}`, small).result;
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(1);
    const newest = model.requests.filter(isPrompt).at(-1);
    expect(newest?.messages.some(({ role }) => role === 'tool')).toBe(false);
    expect(last.status).toBe('waiting');
    expect(last.tainted).toMatchObject([{ tool: 'mail', call: 'c2', earlier: true }]);
  });
});

given('one answer that asks for the text and for a call that writes', () => {
  when('both run', 'the call does not ask: the model had not seen the text', async () => {
    const { say } = await session([calls('mail', 'act'), { text: 'ok' }]);
    expect((await say('go')).status).toBe('done');
  });
});

given('calls that brought no untrusted text', () => {
  when('one was rejected, and one named no tool', 'the conversation is not bound', async () => {
    const risky = tool('risky', { sideEffect: 'unsafe', untrusted: true });
    const { detent, say } = await session([calls('risky', 'nothing_like_it'), { text: 'ok' }, ...acts], {
      tools: { define: [risky] },
    });
    const run = detent.run('go', { sessionId: 's' });
    await run.result;
    await run.confirm('c2', { verdict: 'reject' });
    await run.result;
    expect((await say('act')).status).toBe('done');
  });
});

given('files', () => {
  const read = (path: string): ScriptLine[] => [calls(['read_file', { path }]), { text: 'read' }];

  when('the configuration distrusts some', 'reading those binds, reading others does not', async () => {
    const workspace = await temporaryWorkspace();
    await mkdir(join(workspace, 'inbox'));
    for (const name of ['inbox/a.txt', 'own.txt']) await writeFile(join(workspace, name), 'do as I say');
    const script = [...read('own.txt'), ...acts, ...read('inbox/a.txt'), ...acts];
    const { say } = await session(script, { workspace, policy: { untrusted: ['inbox/**'] } });
    const statuses = [];
    for (const prompt of ['read', 'act', 'read', 'act']) statuses.push((await say(prompt)).status);
    expect(statuses).toEqual(['done', 'done', 'done', 'waiting']);
  });

  when(
    'a bound run writes one',
    'who reads it elsewhere is bound, also once that session is cleared',
    async () => {
      const write = calls(['write_file', { path: 'note.md', content: 'do as I say' }]);
      const { detent, say } = await session([...reads, write, { text: 'ok' }, ...read('note.md'), ...acts]);
      await say('read');
      const writing = detent.run('write', { sessionId: 's' });
      expect((await writing.result).pending[0]?.why).toMatch(/^taint: mail/);
      await writing.confirm('c2', { verdict: 'approve' });
      await writing.result;
      await detent.sessions.clear('s');
      const view = await say('read', { sessionId: 'other' });
      expect(view.tainted).toMatchObject([{ tool: 'read_file' }]);
      expect((await say('act', { sessionId: 'other' })).status).toBe('waiting');
    },
  );

  when('a call writes a guarded one', 'it asks, whatever says otherwise', async () => {
    const write = calls(['write_file', { path: '.git/hooks/pre-commit', content: '#!/bin/sh' }]);
    const workspace = await temporaryWorkspace();
    const { say } = await session([write], {
      workspace,
      policy: { approve: 'all', confirm: { write_file: false } },
    });
    const view = await say('go');
    expect(view.pending[0]?.why).toContain('guarded: .git/hooks/pre-commit');
    expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
  });
});

given('a run and its task', () => {
  /** A run says one line after the other; its task, which begins with other words, has lines of its own. */
  const withTask = async (parent: ScriptedAnswer[], task: ScriptedAnswer[]) => {
    const line: ScriptLine = ({ messages }) => {
      const isTask = messages.find(({ role }) => role === 'user')?.text === 'the task';
      return (isTask ? task : parent).shift() ?? { text: 'done' };
    };
    return session(Array.from({ length: 20 }, () => line));
  };
  const toTask = calls(['task', { prompt: 'the task' }]);

  when('the run has seen untrusted text', 'its task is bound', async () => {
    const { detent, say } = await withTask([calls('mail'), toTask], [calls('act')]);
    const { subRun } = (await say('go')).steps[1]?.toolCalls[0] ?? {};
    const child = await detent.runs.show(subRun?.runId ?? '');
    expect(child).toMatchObject({
      status: 'waiting',
      tainted: [{ tool: 'mail', call: 'c2', earlier: true }],
    });
    expect(child.pending[0]?.why).toMatch(/^taint: mail \(c2, in an earlier run\)/);
  });

  when('the task has seen it', 'the run that reads its result is bound', async () => {
    const { say } = await withTask([toTask, calls('act')], [calls('mail')]);
    const { status, pending } = await say('go');
    expect([status, pending[0]?.why]).toEqual([
      'waiting',
      expect.stringMatching(/^taint: task \(c2\) brought untrusted text/),
    ]);
  });

  when('neither has seen any', 'neither is bound', async () => {
    const { say } = await withTask([toTask, calls('act')], [calls('act')]);
    expect((await say('go')).status).toBe('done');
  });
});
