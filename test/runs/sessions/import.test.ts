import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { every, put } from '../../store/rows.ts';
import { expectCode } from '../../store/support.ts';
import { scripted } from '../../support/detent.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { inSizes } from '../../support/size.ts';
import { exported, fileOf, imported, promptOf, sessionsOf, tenant } from './support.ts';

/** A line as the Kotlin SDK writes it: fields in its order, `ts` and `seq` last. */
function kotlin(...events: object[]): string[] {
  return events.map((event, i) => JSON.stringify({ ...event, ts: 1_700_000_000.5 + i, seq: i + 1 }));
}

const begin = { type: 'system.init', session_id: 'a1b2', cwd: '/home', sdk_version: '0.1.0' };
const user = (text: string) => ({ type: 'user.message', text });
const says = (text: string) => ({ type: 'assistant.message', text, is_summary: false });
const use = (tool_use_id: string, name = 'Read', input: object = {}) => ({
  type: 'tool.use',
  tool_use_id,
  name,
  input,
});
const result = (tool_use_id: string, output: unknown) => ({
  type: 'tool.result',
  tool_use_id,
  output,
  is_error: false,
});

const wholeFile = kotlin(
  begin,
  user('read it'),
  { type: 'hook.event', hook_point: 'PreToolUse', name: 'h', matched: true },
  use('call_1', 'Read', { file_path: 'a.txt' }),
  result('call_1', { content: 'one', lines: 1 }),
  use('call_2', 'Bash', { command: 'rm' }),
  {
    type: 'tool.result',
    tool_use_id: 'call_2',
    is_error: true,
    error_type: 'ToolNotAllowed',
    error_message: 'no Bash here',
  },
  says('It says one.'),
  { type: 'result', final_text: 'It says one.', session_id: 'a1b2', stop_reason: 'end', steps: 3 },
);

const outline = (prompt: Awaited<ReturnType<typeof promptOf>>) =>
  prompt.map((message) => [message.role, message.text]);

describe('a file of the Kotlin SDK', () => {
  it('becomes a finished run whose conversation a prompt holds', async () => {
    const { store, sessionId, runId, notes } = await imported(wholeFile);
    expect([sessionId, notes]).toEqual(['a1b2', []]);
    const prompt = await promptOf(store, 'a1b2');
    expect(outline(prompt)).toEqual([
      ['user', 'read it'],
      ['assistant', ''],
      ['tool', '{"content":"one","lines":1}'],
      ['assistant', ''],
      ['tool', 'no Bash here'],
      ['assistant', 'It says one.'],
    ]);
    expect(prompt[1]).toMatchObject({ toolCalls: [{ id: 'call_1', arguments: '{"file_path":"a.txt"}' }] });
    const view = await sessionsOf(store).show(tenant, 'a1b2');
    expect(view).toMatchObject({
      status: 'done',
      createdAt: 1_700_000_000_500,
      lastActivityAt: 1_700_000_008_500,
      history: [{ runId, imported: true, outcome: null }],
    });
    expect(view.conversation.filter(({ role }) => role === 'tool')).toMatchObject([
      { name: 'Read', status: 'done' },
      { name: 'Bash', status: 'rejected' },
    ]);
  });

  it('leaves as it came, with lines of unknown types', async () => {
    const { store } = await imported(wholeFile);
    expect(await exported(store, 'a1b2')).toEqual(wholeFile);
  });

  it('keeps calls of one answer together, and pairs results that come in another order', async () => {
    const lines = kotlin(
      begin,
      user('go'),
      says('both'),
      use('a'),
      use('b'),
      result('b', '2'),
      result('a', '1'),
    );
    const { store } = await imported(lines);
    expect(outline(await promptOf(store, 'a1b2'))).toEqual([
      ['user', 'go'],
      ['assistant', 'both'],
      ['tool', '1'],
      ['tool', '2'],
    ]);
  });

  it('gives a call without a result an unknown outcome', async () => {
    const { store, notes } = await imported(kotlin(begin, user('go'), use('a'), use('b'), result('b', '2')));
    expect(notes).toEqual([expect.stringContaining('1 tool call without a result')]);
    const prompt = await promptOf(store, 'a1b2');
    expect(chatRuleViolations([...prompt, { role: 'user', text: 'on' }])).toEqual([]);
    expect(prompt[2]).toMatchObject({ role: 'tool', toolCallId: 'a', isError: true });
    expect(prompt[2]?.text).toMatch(/outcome is unknown/);
  });

  it('keeps a result without a call out of the prompt', async () => {
    const lines = kotlin(begin, user('go'), result('x', '1'), use('a'), result('a', '2'), result('a', '3'));
    const { store, notes } = await imported(lines);
    expect(notes).toEqual([expect.stringContaining('2 tool results without a call')]);
    expect(outline(await promptOf(store, 'a1b2')).map(([, text]) => text)).toEqual(['go', '', '2']);
    expect(await exported(store, 'a1b2')).toEqual(lines);
  });

  it('begins its prompt with its last summary', async () => {
    const lines = kotlin(
      begin,
      user('old'),
      says('older'),
      { type: 'user.compaction', auto: true, reason: 'overflow' },
      { type: 'assistant.message', text: 'all that was', is_summary: true },
      user('new'),
    );
    const { store } = await imported(lines);
    const prompt = await promptOf(store, 'a1b2');
    expect(outline(prompt)).toEqual([
      ['user', expect.stringContaining('all that was')],
      ['user', 'new'],
    ]);
    const view = await sessionsOf(store).show(tenant, 'a1b2');
    expect(view.conversation.map(({ inPrompt }) => inPrompt)).toEqual([false, false, true, true]);
  });

  it('loses pieces of streaming answers, and says so', async () => {
    const lines = kotlin(begin, user('hi'), { type: 'assistant.delta', text_delta: 'he' }, says('hello'));
    const { store, notes } = await imported(lines);
    expect(notes).toEqual([expect.stringContaining('1 assistant.delta line')]);
    const out = await exported(store, 'a1b2');
    expect(out.map((line) => [JSON.parse(line).type, JSON.parse(line).seq])).toEqual([
      ['system.init', 1],
      ['user.message', 2],
      ['assistant.message', 3],
    ]);
  });
});

describe('an import', () => {
  it('drops a last line that was cut off anywhere, and says so', async () => {
    const whole = fileOf(wholeFile);
    const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (let end = last + 1; end < whole.length - 2; end++) {
      const store = openInMemory();
      const { lines, notes } = await sessionsOf(store).import(tenant, whole.slice(0, end));
      expect([lines, notes]).toEqual([
        wholeFile.length - 1,
        [expect.stringMatching(/last line was cut off, and \d+ bytes? of it left out/)],
      ]);
      expect(await exported(store, 'a1b2')).toEqual(wholeFile.slice(0, -1));
    }
  });

  it('takes a last line that is whole without its end, and one of bytes that are no text as cut off', async () => {
    const whole = new TextEncoder().encode(fileOf(wholeFile));
    const store = openInMemory();
    expect(await sessionsOf(store).import(tenant, whole.subarray(0, -1))).toMatchObject({
      lines: 9,
      notes: [],
    });
    const cut = new Uint8Array([...whole, 0, 0, 0xff]);
    expect(await sessionsOf(store).import(tenant, cut, 'other')).toMatchObject({
      lines: 9,
      notes: [/3 bytes/],
    });
  });

  it.each([
    ['no JSON', '{"type":'],
    ['a bare value', '7'],
    ['no type', '{"text":"a"}'],
    ['a message without words', '{"type":"user.message"}'],
    ['arguments that are no object', '{"type":"tool.use","tool_use_id":"a","name":"b","input":"c"}'],
    ['an answer of ours that is broken', '{"type":"detent.answer","run_id":"r","run_seq":1,"answer":{}}'],
  ])('refuses %s, names the line, and imports nothing', async (_, bad) => {
    const store = openInMemory();
    const lines = [wholeFile[0] ?? '', '', bad, ...wholeFile.slice(1)];
    await expect(sessionsOf(store).import(tenant, fileOf(lines))).rejects.toMatchObject({
      code: 'INVALID_SESSION_LOG',
      message: expect.stringContaining('line 3'),
      details: { line: 3 },
    });
    expect(await store.query('listSessions', { tenant, ...every, limit: 9 })).toEqual([]);
  });

  it('refuses a file without a line', async () => {
    for (const nothing of ['', '\n \r\n', '{"type":'])
      await expectCode(sessionsOf(openInMemory()).import(tenant, nothing), 'INVALID_SESSION_LOG');
  });

  it('refuses a session that exists, and a key that none can have', async () => {
    const { store } = await imported(wholeFile);
    await expectCode(sessionsOf(store).import(tenant, fileOf(wholeFile)), 'SESSION_EXISTS');
    await expectCode(sessionsOf(store).import(tenant, fileOf(wholeFile), 'a\nb'), 'INVALID_SESSION');
    await sessionsOf(store).import(tenant, fileOf(wholeFile), 'other');
    const { id } = await put(store, 'insertTenant', { name: 'other', workspace: null });
    await sessionsOf(store).import(id, fileOf(wholeFile));
  });

  it('under another key changes that key alone', async () => {
    const { store } = await imported(wholeFile, 'other');
    const out = await exported(store, 'other');
    expect(out).toEqual(wholeFile.map((line) => line.replace('"session_id":"a1b2"', '"session_id":"other"')));
  });

  it('reads any pieces of the file, lines of any length and of any ending', async () => {
    const lines = kotlin(begin, user('x'.repeat(2_000_000)), says('夜🚀'));
    const bytes = new TextEncoder().encode(`\ufeff${lines.join('\r\n')}`);
    const pieces = function* () {
      for (let i = 0; i < bytes.length; i += 1_009) yield bytes.subarray(i, i + 1_009);
    };
    const store = openInMemory();
    await sessionsOf(store).import(tenant, pieces());
    expect(await exported(store, 'a1b2')).toEqual(lines);
  });

  it('gives lines numbers and times that have none', async () => {
    const { store } = await imported(['{"type":"user.message","text":"a"}', '{"type":"note","ts":7}'], 's');
    expect(await exported(store, 's')).toEqual([
      '{"type":"user.message","seq":1,"ts":5.0,"text":"a"}',
      '{"type":"note","seq":2,"ts":7.0}',
    ]);
  });

  it('takes known secrets out of what it stores', async () => {
    const store = openInMemory();
    const redact = (text: string) => text.replaceAll('hunter2-hunter2', '[redacted:KEY]');
    const sessions = sessionsOf(store, redact);
    await sessions.import(tenant, fileOf(kotlin(begin, user('it is hunter2-hunter2'))));
    expect(JSON.stringify(await exported(store, 'a1b2'))).not.toContain('hunter2');
    expect((await promptOf(store, 'a1b2'))[0]?.text).toBe('it is [redacted:KEY]');
  });
});

describe('an imported session', () => {
  it('is continued by a run, which sees its conversation', async () => {
    const { detent, model } = await scripted([{ text: 'more' }]);
    const { runId } = await detent.sessions.import(fileOf(wholeFile));
    expect((await detent.run('and then?', { sessionId: 'a1b2' }).result).text).toBe('more');
    const asked = model.requests[0]?.messages ?? [];
    expect(asked.map(({ text }) => text).slice(1)).toEqual([
      'read it',
      '',
      '{"content":"one","lines":1}',
      '',
      'no Bash here',
      'It says one.',
      'and then?',
    ]);
    const lines = await Array.fromAsync(detent.sessions.export('a1b2'));
    expect(lines.slice(0, wholeFile.length)).toEqual(wholeFile);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      type: 'result',
      final_text: 'more',
      seq: lines.length,
    });
    expect(lines.filter((line) => line.includes('system.init'))).toHaveLength(1);
    expect((await detent.runs.list()).map(({ runId: id }) => id)).toContain(runId);
  });

  it('has a run that every look at a run can look at, and that nothing moves', async () => {
    const { detent } = await scripted([]);
    const { runId } = await detent.sessions.import(fileOf(wholeFile));
    expect(await detent.runs.show(runId)).toMatchObject({
      status: 'done',
      states: ['idle', 'done'],
      pending: [],
    });
    expect(await detent.runs.allowed(runId)).toEqual([]);
    expect(await detent.runs.cancel(runId)).toBe(false);
    await expectCode(detent.runs.steer(runId, 'hello'), 'RUN_ENDED');
    expect(await detent.runs.resume()).toEqual([]);
    const seen = [];
    for await (const signal of detent.runs.attach(runId).events) seen.push(signal.seq);
    expect(seen).toEqual(wholeFile.map((_, i) => i + 1));
    expect((await detent.runs.attach(runId).result).text).toBe('It says one.');
    await expectCode(detent.sessions.fork('a1b2', { runId, seq: 1 }), 'NO_LOG');
  });
});

const words = fc.constantFrom('', 'a', 'b', '夜');
const id = fc.constantFrom('', 'c1', 'c2', 'c3');
const anyEvent = fc.oneof(
  fc.record({ type: fc.constant('user.message'), text: words }),
  fc.record({ type: fc.constant('assistant.message'), text: words, is_summary: fc.boolean() }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('tool.use'),
      tool_use_id: id,
      name: words,
      input: fc.dictionary(words, fc.jsonValue()),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant('tool.result'),
        tool_use_id: id,
        output: fc.jsonValue(),
        is_error: fc.boolean(),
        error_type: fc.constantFrom('ToolError', 'PermissionDenied', 'Other', null),
        error_message: fc.option(words),
      },
      { requiredKeys: ['type', 'tool_use_id'] },
    ),
  },
  fc.record({
    type: fc.constantFrom('result', 'system.init', 'hook.event', 'x.y'),
    session_id: fc.constant('k'),
    more: fc.jsonValue(),
  }),
  fc.record({ type: fc.constant('detent.head'), at: fc.nat({ max: 40 }) }),
);

describe('any sequence of events', () => {
  it('is a valid conversation, and leaves as it came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 30 }), async (events) => {
        const lines = kotlin(...events);
        const { store } = await imported(lines, 'k');
        expect(await exported(store, 'k')).toEqual(lines);
        const prompt = await promptOf(store, 'k');
        expect(chatRuleViolations([...prompt, { role: 'user', text: 'and now?' }])).toEqual([]);
      }),
      { numRuns: inSizes({ usual: 15, deep: 120, full: 5_000 }) },
    );
  });
});
