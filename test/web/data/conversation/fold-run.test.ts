import { describe, expect, it, vi } from 'vitest';
import type { RunDelta, RunEvent } from '../../../../src/index.ts';
import { type Content, emptyStory, type RunStory } from '../../../../web/src/data/conversation/entries.ts';
import { foldRun } from '../../../../web/src/data/conversation/fold-run.ts';
import { heldOf } from '../../../../web/src/data/conversation/held.ts';
import { gate, scripted, tool } from '../../../support/detent.ts';
import { orderWorkflow } from '../../../support/order-workflow.ts';

const look = tool('look', { run: () => 'a shop' });
const count = tool('count', { run: () => '3' });
const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => 'paid' });
const calling = (...names: string[]) => ({
  text: 'I will see.',
  reasoning: 'Hm.',
  toolCalls: names.map((name) => ({ name })),
});

const told = (events: readonly (RunEvent | RunDelta)[], isReadonly = () => true) =>
  foldRun(emptyStory('r'), events, { isReadonly });

/** Kind or stay of each entry with what it holds, in a few words. */
const outline = ({ entries }: RunStory) =>
  entries.map(
    ({ kind, stay, content }) => `${kind === 'stay' ? stay : kind}: ${content.map(words).join(', ')}`,
  );

function words(part: Content): string {
  switch (part.type) {
    case 'said':
    case 'text':
    case 'reasoning':
      return `${part.type} ${part.text}`;
    case 'withdrawn':
      return `withdrawn ${part.text}`;
    case 'call':
      return `${part.call.name} ${part.call.status}`;
    case 'decided':
      return `${part.name} ${part.verdict}`;
    case 'ended':
      return part.outcome;
    default:
      return part.type;
  }
}

describe('the story of a run', () => {
  it('hangs what was said and done from the stays in its states', async () => {
    const { detent } = await scripted([calling('look', 'count'), calling('pay'), { text: 'Done.' }], {
      tools: { define: [look, count, pay] },
    });
    const run = detent.run('Buy tea.');
    await run.result;
    const asked = told(await detent.runs.timeline(run.runId));
    expect(outline(asked)).toEqual([
      'user: said Buy tea.',
      'thinking: reasoning Hm., text I will see.',
      'tooling: look done, count done',
      'thinking: reasoning Hm., text I will see.',
      'awaitingConfirm: pay asked',
    ]);
    const [pending] = (await detent.runs.show(run.runId)).pending;
    await detent.runs.confirm(run.runId, pending?.callId ?? '', { verdict: 'approve' });
    await detent.runs.attach(run.runId).result;
    const story = told(await detent.runs.timeline(run.runId));
    expect(outline(story)).toEqual([
      'user: said Buy tea.',
      'thinking: reasoning Hm., text I will see.',
      'tooling: look done, count done',
      'thinking: reasoning Hm., text I will see.',
      'awaitingConfirm: pay approve',
      'tooling: pay done',
      'thinking: text Done.',
      'end: completed',
    ]);
    expect(story.counts).toMatchObject({ thinking: 3, tooling: 2, awaitingConfirm: 1, done: 1 });
    expect(story).toMatchObject({ before: 'thinking', path: 'done', total: { inputTokens: 30 } });
    const places = story.entries.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]);
    expect(places.slice(1, 4)).toEqual([
      [1, 2],
      [2, 4],
      [4, 5],
    ]);
    expect(new Set(story.entries.map(({ key }) => key)).size).toBe(story.entries.length);
  });

  it('is the same in however many parts its events come, and keeps what did not change', async () => {
    const { detent } = await scripted(
      [calling('look'), { text: 'half', error: { retryable: true, retryAfterMs: 1 } }, { text: 'Done.' }],
      {
        tools: { define: [look] },
      },
    );
    const run = detent.run('Look.');
    const all: (RunEvent | RunDelta)[] = [];
    await run.started;
    for await (const event of detent.runs.subscribe(run.runId)) all.push(event);
    const log = await detent.runs.timeline(run.runId);
    const whole = told(log);
    expect(told(all)).toEqual(whole);
    let story = emptyStory('r');
    for (const event of all) {
      const next = foldRun(story, [event], { isReadonly: () => true });
      const kept = next.entries.filter((entry) => story.entries.includes(entry));
      expect(kept.length).toBeGreaterThanOrEqual(story.entries.length - 3);
      story = next;
    }
    expect(story).toEqual(whole);
  });

  it('shows the words of an answer that broke off as taken back', async () => {
    const { detent } = await scripted([
      { text: 'Half of', reasoning: 'Hm.', error: { retryable: true, retryAfterMs: 1 } },
      { text: 'All of it.' },
    ]);
    const run = detent.run('Say it.');
    await run.result;
    expect(outline(told(await detent.runs.timeline(run.runId)))).toEqual([
      'user: said Say it.',
      'thinking: withdrawn Half of',
      'backingOff: brokeOff',
      'thinking: text All of it.',
      'end: completed',
    ]);
  });

  it('tells pieces as they come, and what becomes of them', () => {
    const at = { runId: 'r', index: 0, last: true, at: 1 };
    const began: RunEvent = {
      ...at,
      seq: 1,
      event: 'state.changed',
      payload: { from: 'idle', to: 'active.working.thinking.requesting', event: 'run.start' },
    };
    const delta = (attempt: number, offset: number, content: string): RunDelta => ({
      event: 'assistant.delta',
      runId: 'r',
      payload: { effectId: 1, attempt, offset, content, contentType: 'text' },
    });
    const first = told([began, delta(1, 0, 'One, '), delta(1, 5, 'two')]);
    expect(outline(first)).toEqual(['thinking: text One, two']);
    expect(first.streaming).toBe(1);
    const reset: RunDelta = { event: 'assistant.reset', runId: 'r', payload: { effectId: 1, attempt: 1 } };
    expect(outline(told([began, delta(1, 0, 'One'), reset, delta(2, 0, 'Eins')]))).toEqual([
      'thinking: withdrawn One, text Eins',
    ]);
    const whole = (content: string): RunEvent => ({
      ...at,
      seq: 2,
      event: 'assistant.message',
      payload: {
        stepNo: 1,
        effectId: 1,
        model: 'm',
        content,
        reasoning: '',
        refusal: '',
        finishReason: null,
        error: null,
      },
    });
    // Pieces were lost on the way: the same words came again.
    expect(outline(told([began, delta(1, 0, 'On'), reset, whole('One')]))).toEqual(['thinking: text One']);
    expect(outline(told([began, delta(1, 0, 'On'), reset, whole('Eins')]))).toEqual([
      'thinking: withdrawn On, text Eins',
    ]);
  });

  it('of a takeover has what the user and the staff say, and nobody who steers', async () => {
    const { detent } = await scripted([{ text: 'hello' }], { takeover: { names: 'token' } });
    await detent.run('hi', { sessionId: 's' }).result;
    const { runId } = await detent.sessions.takeOver('s', { by: 'bob' });
    await detent.run('a person?', { sessionId: 's' }).started;
    await detent.sessions.say('s', 'I am here', { by: 'bob', name: 'Bob' });
    await detent.sessions.giveBack('s', { by: 'bob' });
    const story = foldRun(emptyStory(runId), await detent.runs.timeline(runId));
    expect(outline(story)).toEqual([
      'taken: held',
      'user: said a person?',
      'staff: staff',
      'end: held, completed',
    ]);
    expect(story.takeover).toEqual({ state: 'taken', by: 'bob', name: 'Bob' });
    expect(heldOf(new Map([[runId, story]]), undefined)).toBe(null);
    expect(heldOf(new Map([[runId, { ...story, endedAt: null }]]), undefined)).toMatchObject({
      state: 'taken',
      who: 'bob',
      isMine: false,
      mayCome: false,
    });
  });

  it('tells which calls run, and which wait for others', async () => {
    const door = gate();
    const slow = tool('slow', { run: () => door.pass().then(() => 'ok') });
    const other = tool('other', { sideEffect: 'unsafe', confirm: false });
    const { detent } = await scripted([calling('slow', 'look', 'other'), { text: 'Done.' }], {
      tools: { define: [slow, look, other] },
    });
    const run = detent.run('Go.');
    await door.reached;
    const isReadonly = (name?: string) => name !== 'other';
    const during = told(await detent.runs.timeline(run.runId), isReadonly);
    expect(outline(during).at(-1)).toMatch(/tooling: slow running, look (?:running|done), other queued/);
    door.open();
    await run.result;
    expect(outline(told(await detent.runs.timeline(run.runId))).at(-3)).toBe(
      'tooling: slow done, look done, other done',
    );
  });

  it('puts a message that steers where the run heard it, and shows the calls that it withdrew', async () => {
    const { detent } = await scripted([calling('pay'), { text: 'Understood.' }], {
      tools: { define: [pay] },
    });
    const run = detent.run('Buy.');
    await run.result;
    await detent.runs.steer(run.runId, 'Better not.');
    await detent.runs.attach(run.runId).result;
    expect(outline(told(await detent.runs.timeline(run.runId)))).toEqual([
      'user: said Buy.',
      'thinking: reasoning Hm., text I will see.',
      'awaitingConfirm: pay withdrawn, pay skipped',
      'steer: said Better not.',
      'thinking: text Understood.',
      'end: completed',
    ]);
  });

  it('tells of a question of a tool at work, of a task, of a list, and of an end with an error', async () => {
    const asks = tool('asks', {
      run: async (_, { ask }) => JSON.stringify(await ask?.({ text: 'Who?' })),
    });
    const { detent } = await scripted(
      [
        calling('asks'),
        { toolCalls: [{ name: 'task', arguments: { prompt: 'look', description: 'look' } }] },
        { text: 'seen' },
        { toolCalls: [{ name: 'todo', arguments: { items: [{ content: 'Rest', status: 'pending' }] } }] },
        { error: { retryable: false, message: 'no' } },
      ],
      { tools: { define: [asks] } },
    );
    const run = detent.run('Ask.');
    await run.result;
    const [pending] = (await detent.runs.show(run.runId)).pending;
    expect(outline(told(await detent.runs.timeline(run.runId))).at(-1)).toBe('awaitingConfirm: ');
    await detent.runs.confirm(run.runId, pending?.callId ?? '', { verdict: 'answer', answer: 'Ada' });
    await detent.runs.attach(run.runId).result;
    const story = told(await detent.runs.timeline(run.runId));
    expect(outline(story)).toContain('awaitingConfirm: asks answer');
    const calls = story.entries.flatMap(({ content }) =>
      content.flatMap((one) => (one.type === 'call' ? one.call : [])),
    );
    expect(calls).toMatchObject([
      { name: 'asks', status: 'done', asked: { question: { text: 'Who?' } } },
      { name: 'task', subRun: `${run.runId}.c4` },
      { name: 'todo', todo: [{ content: 'Rest', status: 'pending' }] },
    ]);
    expect(outline(story).at(-1)).toBe('end: provider_error');
    expect(story.entries.at(-1)?.content).toMatchObject([{ error: { message: 'no' } }]);
  });

  it('of a history from a file has its messages, and no states', async () => {
    const { detent } = await scripted([]);
    const lines = [
      { type: 'user.message', text: 'How many?' },
      { type: 'assistant.message', text: 'I look.' },
      { type: 'tool.use', tool_use_id: 'a', name: 'look', input: {} },
      { type: 'tool.result', tool_use_id: 'a', output: '14' },
      { type: 'assistant.message', text: 'There are 14.' },
      { type: 'user.message', text: 'And?' },
      { type: 'assistant.message', text: 'Yes.' },
    ].map((line, n) => JSON.stringify({ ...line, seq: n + 1, ts: n + 1 }));
    const { sessionId } = await detent.sessions.import(lines.join('\n'));
    const { history } = await detent.sessions.show(sessionId);
    const story = told(await detent.runs.timeline(history[0]?.runId ?? ''));
    expect(outline(story)).toEqual([
      'user: said How many?',
      'thinking: text I look., look done',
      'thinking: text There are 14.',
      'user: said And?',
      'thinking: text Yes., completed',
    ]);
    expect(story.counts).toEqual({});
  });
});

describe('the story of a workflow', () => {
  it('names the states of its chart whole, and ends with how it ended, whatever the last one is called', async () => {
    const { detent } = await scripted([], { workflows: [orderWorkflow] });
    const run = detent.workflows.start('order', { order: 'o1' });
    await run.result;
    await run.answer('approval', { approved: true });
    // The answer is on its way to the chart.
    await vi.waitFor(async () => expect(await run.send({ type: 'parcel.sent' })).toBe(true), {
      timeout: 60_000,
    });
    const { runId } = await run.result;
    const story = told(await detent.runs.timeline(runId));
    expect(story.workflow).toBe('order');
    expect(outline(story)).toEqual(['approving: ', 'packing: came', 'sent: came', 'end: done']);
    expect(story.entries.map(({ isOfChart }) => isOfChart)).toEqual([true, true, true, false]);
    expect(story.entries.every(({ endedAt }) => endedAt !== null)).toBe(true);
  });

  it('has no state of its own for a run that was cancelled', async () => {
    const { detent } = await scripted([], { workflows: [orderWorkflow] });
    const { runId } = await detent.workflows.start('order', { order: 'o1' }).result;
    await detent.runs.cancel(runId);
    const story = told(await detent.runs.timeline(runId));
    expect(outline(story)).toEqual(['approving: ', 'end: cancelled']);
  });
});
