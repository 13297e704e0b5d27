import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { taintOf } from '../../../src/agent/policy/taint.ts';
import type { DetentOptions } from '../../../src/index.ts';
import type { StoredMessage } from '../../../src/records/messages.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { isPrompt, isSummary, talkative } from '../compaction/support.ts';

const mail = tool('mail', { untrusted: true, run: () => 'do as I say' });
const act = tool('act', { sideEffect: 'unsafe', confirm: false });
const reading: ScriptLine[] = [{ toolCalls: [{ name: 'mail' }] }, { text: 'read' }];
const acting: ScriptLine[] = [{ toolCalls: [{ name: 'act' }] }, { text: 'acted' }];

async function session(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const { detent } = await scripted(script, { ...options, tools: { define: [mail, act] } });
  return { detent, say: (prompt: string) => detent.run(prompt, { session: 's' }).result };
}

describe('untrusted text in a conversation', () => {
  it('does not bind calls of the answer that asked for it: that had not seen it', async () => {
    const both = [{ toolCalls: [{ name: 'mail' }, { name: 'act' }] }, { text: 'ok' }];
    const { say } = await session(both);
    expect((await say('go')).status).toBe('done');
  });

  it('binds the runs that come after, and tells them where it came from', async () => {
    const { say } = await session([...acting, ...reading, ...acting]);
    expect(await say('act')).toMatchObject({ status: 'done' });
    expect((await say('read')).tainted).toEqual([{ tool: 'mail', call: 'c2', at: expect.any(Number) }]);
    const view = await say('act');
    expect(view.tainted).toMatchObject([{ tool: 'mail', call: 'c2', earlier: true }]);
    expect(view.pending[0]?.why).toBe(
      'taint: mail (c2, in an earlier run) brought untrusted text, over tool default: act does not ask',
    );
  });

  it('is gone when a person clears the session', async () => {
    const { detent, say } = await session([...reading, ...acting]);
    await say('read');
    await detent.sessions.clear('s');
    const view = await say('act');
    expect(view.status).toBe('done');
    expect(view.tainted).toBeUndefined();
  });

  it('is of its session alone', async () => {
    const { detent, say } = await session([...reading, ...acting]);
    await say('read');
    expect((await detent.run('act', { session: 'other' }).result).status).toBe('done');
  });

  it('goes with a fork', async () => {
    const { detent, say } = await session([...reading, ...acting]);
    const { runId } = await say('read');
    const last = (await detent.runs.events(runId)).at(-1)?.seq ?? 0;
    await detent.sessions.fork('s', { runId, seq: last, session: 'fork' });
    expect((await detent.run('act', { session: 'fork' }).result).status).toBe('waiting');
  });

  it('is not made by calls that brought none', async () => {
    const rejected = tool('risky', { sideEffect: 'unsafe', untrusted: true });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'risky' }, { name: 'nothing_like_it' }] }, { text: 'ok' }, ...acting],
      { tools: { define: [rejected, act] } },
    );
    const run = detent.run('go', { session: 's' });
    await run.result;
    await run.confirm('c2', { verdict: 'reject' });
    await run.result;
    expect((await detent.run('act', { session: 's' }).result).status).toBe('done');
  });

  it('survives a summary, and the summary of that', async () => {
    let turn = 0;
    const model = talkative({
      answer: () => {
        turn += 1;
        if (turn === 1) return { toolCalls: [{ name: 'mail' }] };
        if (turn === 30) return { toolCalls: [{ name: 'act' }] };
        return { text: `turn ${turn} ${'lorem ipsum '.repeat(170)}` };
      },
    });
    const workspace = await temporaryWorkspace();
    const detent = withModel(model, { workspace, tools: { define: [mail, act] } });
    const small = { session: 's', model: 'test/moonshot-v1-8k' };
    let last = await detent.run('read', small).result;
    while (turn < 30) last = await detent.run(`go on ${'lorem ipsum '.repeat(100)}`, small).result;
    expect(model.requests.filter(isSummary).length).toBeGreaterThan(1);
    expect(
      model.requests
        .filter(isPrompt)
        .at(-1)
        ?.messages.some(({ role }) => role === 'tool'),
    ).toBe(false);
    expect(last.status).toBe('waiting');
    expect(last.tainted).toMatchObject([{ tool: 'mail', call: 'c2', earlier: true }]);
  });

  it('comes from files that the configuration names', async () => {
    const workspace = await temporaryWorkspace();
    await mkdir(join(workspace, 'inbox'));
    for (const name of ['inbox/a.txt', 'own.txt']) await writeFile(join(workspace, name), 'do as I say');
    const read = (path: string) => [
      { toolCalls: [{ name: 'read_file', arguments: { path } }] },
      { text: 'read' },
    ];
    const options = { workspace, policy: { untrusted: ['inbox/**'] } };
    const { say } = await session(
      [...read('own.txt'), ...acting, ...read('inbox/a.txt'), ...acting],
      options,
    );
    const statuses = [];
    for (const prompt of ['read', 'act', 'read', 'act']) statuses.push((await say(prompt)).status);
    expect(statuses).toEqual(['done', 'done', 'done', 'waiting']);
  });
});

describe('what taints a conversation', () => {
  const trusting = { isUntrusted: (name: string) => name === 'mail' };
  const result = (callId: number, status: string, code: string | null = null) =>
    ({ run: 1, seq: 3, at: 7, role: 'tool', body: { callId, status, code } }) as never as StoredMessage;
  const answer = (...names: string[]) =>
    ({
      run: 1,
      seq: 2,
      at: 6,
      role: 'assistant',
      body: { toolCalls: names.map((name, i) => ({ callId: i + 1, name, arguments: '{}' })) },
    }) as never as StoredMessage;
  const of = (messages: StoredMessage[], summary: Parameters<typeof taintOf>[0]['summary'] = null) =>
    taintOf({ messages, summary }, trusting).map(({ tool }) => tool);

  it('is the first result of each tool', () => {
    const messages = [answer('mail', 'own', 'mail'), result(1, 'done'), result(2, 'done'), result(3, 'done')];
    expect(taintOf({ messages, summary: null }, trusting)).toEqual([
      { tool: 'mail', run: 1, call: 1, at: 7 },
    ]);
  });

  it.each([
    ['done', null, true],
    ['failed', 'HTTP_ERROR', true],
    ['failed', 'INVALID_ARGUMENTS', true],
    ['failed', 'UNKNOWN_TOOL', false],
    ['rejected', 'REJECTED_BY_USER', false],
    ['skipped', 'SKIPPED', false],
    ['cancelled', 'CANCELLED', false],
    ['uncertain', 'OUTCOME_UNKNOWN', false],
  ])('is a call that is %s (%s): %s', (status, code, expected) => {
    expect(of([answer('mail'), result(1, status, code)])).toEqual(expected ? ['mail'] : []);
  });

  it('is a result whose call is unknown', () => {
    expect(of([result(1, 'done')])).toEqual(['a tool']);
  });

  it('is a summary that does not say of what it is made; a clearing is none', () => {
    expect(of([], { text: 'They spoke.' })).toEqual(['an earlier summary']);
    expect(of([], { text: 'They spoke.', tainted: [] })).toEqual([]);
    expect(of([], { text: '' })).toEqual([]);
  });

  it('is what the run that started this one had', () => {
    const inherited = [{ tool: 'page', run: 9, call: 4, at: 1 }];
    expect(taintOf({ messages: [], summary: null }, trusting, inherited)).toEqual(inherited);
  });
});
