import { describe, expect, it } from 'vitest';
import type { Detent, RunDelta, RunEvent } from '../../../src/index.ts';
import { gate, scripted, tool } from '../../support/detent.ts';
import { expectLawful } from './laws.ts';

const look = tool('look', { sideEffect: 'readonly', run: () => 'a shop' });
const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
const asks = tool('asks', {
  sideEffect: 'readonly',
  run: async (_, { ask }) => JSON.stringify(await ask?.({ text: 'Who?' })),
});
const calling = (...names: string[]) => ({
  text: 'I will see.',
  toolCalls: names.map((name) => ({ name })),
  usage: { inputTokens: 10, outputTokens: 2 },
});
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const broken = { error: { retryable: true, retryAfterMs: 1 }, text: 'half' } as const;

const names = (events: readonly (RunEvent | RunDelta)[]) => events.map(({ event }) => event);
const notable = (events: readonly RunEvent[]) =>
  names(events).filter((name) => name !== 'state.changed' && name !== 'usage');
const payloads = (events: readonly RunEvent[], name: RunEvent['event']) =>
  events.flatMap(({ event, payload }) => (event === name ? [payload] : []));

/** Reads the stream to its end; the promise of the events that are in the log, and of the pieces. */
async function read(stream: AsyncIterable<RunEvent | RunDelta>) {
  const events: RunEvent[] = [];
  const pieces: RunDelta[] = [];
  for await (const one of stream)
    if ('seq' in one) events.push(one);
    else pieces.push(one);
  return { events, pieces };
}

/** Approves and answers whatever the run asks, until it has ended. */
async function decideAll(detent: Detent, runId: string): Promise<void> {
  for (;;) {
    const { status, pending } = await detent.runs.attach(runId).result;
    if (status !== 'waiting') return;
    for (const { kind, callId, argumentsHash: hash } of pending)
      if (kind === 'question') await detent.runs.confirm(runId, callId, { verdict: 'answer', answer: 'Ada' });
      else await detent.runs.confirm(runId, callId, { verdict: 'approve', hash, by: 'ada' });
  }
}

describe('the events of a run', () => {
  it('tell what happened, in its order', async () => {
    const { detent } = await scripted(
      [calling('look'), calling('pay'), { text: 'done', usage: { inputTokens: 5, outputTokens: 1 } }],
      { tools: { define: [look, pay] } },
    );
    const runId = await detent.run('buy', { sessionId: 'shop' }).started;
    await decideAll(detent, runId);
    const events = await detent.runs.timeline(runId);
    expect(notable(events)).toEqual([
      'lifecycle.start',
      'user.message',
      'step.begin',
      'assistant.message',
      'tool.call',
      'tool.result',
      'step.begin',
      'assistant.message',
      'tool.call',
      'tool.confirm_request',
      'tool.confirm_resolved',
      'tool.result',
      'step.begin',
      'assistant.message',
      'lifecycle.end',
    ]);
    expect(payloads(events, 'lifecycle.start')).toEqual([{ sessionId: 'shop', agentName: 'default' }]);
    expect(payloads(events, 'tool.confirm_request')).toMatchObject([
      { callId: 'c4', name: 'pay', kind: 'confirm' },
    ]);
    expect(payloads(events, 'tool.confirm_resolved')).toEqual([
      { callId: 'c4', verdict: 'approve', by: 'ada' },
    ]);
    expect(payloads(events, 'tool.result')).toMatchObject([
      { callId: 'c2', content: 'a shop', isError: false },
      { callId: 'c4', content: 'paid' },
    ]);
    expect(payloads(events, 'usage').at(-1)).toMatchObject({
      call: { inputTokens: 5 },
      total: { inputTokens: 25, outputTokens: 5 },
    });
    expect(payloads(events, 'lifecycle.end')).toEqual([
      { status: 'done', outcome: 'completed', content: 'done' },
    ]);
    expectLawful(runId, events);
  });

  it('tell of a question of a tool, and of its answer', async () => {
    const { detent } = await scripted([calling('asks'), { text: 'done' }], { tools: { define: [asks] } });
    const runId = await detent.run('who').started;
    await decideAll(detent, runId);
    const events = await detent.runs.timeline(runId);
    expect(payloads(events, 'question.asked')).toMatchObject([{ callId: 'c2', question: { text: 'Who?' } }]);
    expect(payloads(events, 'question.answered')).toEqual([
      { callId: 'c2', verdict: 'answer', answer: 'Ada', by: 'program' },
    ]);
  });

  it('tell of an answer that broke off, and of the end of a run that failed', async () => {
    const { detent } = await scripted([broken, { error: { retryable: false, message: 'no' } }]);
    const run = detent.run('talk');
    await run.result;
    const events = await detent.runs.timeline(run.runId);
    expect(payloads(events, 'step.interrupted')).toMatchObject([
      { stepNo: 1, isAskedAgain: true, withdrawn: { content: 'half', reasoning: '' } },
    ]);
    expect(events.at(-1)).toMatchObject({
      event: 'lifecycle.error',
      payload: { status: 'failed' },
      last: true,
    });
  });

  it('tell what the user said, before the run and while it ran, and what a job wrote', async () => {
    const door = gate();
    const slow = tool('slow', { run: () => door.pass().then(() => 'ok') });
    const { detent } = await scripted([calling('slow'), { text: 'done' }], { tools: { define: [slow] } });
    const image = { data: png, name: 'shelf.png' };
    const run = detent.run('Look.', { attachments: [image] });
    await door.reached;
    await detent.runs.steer(run.runId, 'And hurry.');
    door.open();
    await run.result;
    const events = await detent.runs.timeline(run.runId);
    expect(payloads(events, 'user.message')).toMatchObject([
      { content: 'Look.', attachments: [{ type: 'image', name: 'shelf.png' }] },
      { content: 'And hurry.' },
    ]);
    expectLawful(run.runId, events);
  });

  it('tell of a task and of the run that did it', async () => {
    const task = { name: 'task', arguments: { prompt: 'look', description: 'look' } };
    const { detent } = await scripted([{ toolCalls: [task] }, { text: 'seen' }, { text: 'done' }]);
    const run = detent.run('do it');
    await run.result;
    const events = await detent.runs.timeline(run.runId);
    const child = { callId: 'c2', runId: `${run.runId}.c2` };
    expect(payloads(events, 'subagent.started')).toEqual([{ ...child, agentName: 'default' }]);
    expect(payloads(events, 'subagent.ended')).toEqual([{ ...child, isError: false }]);
    const [, , , begun] = await detent.runs.timeline(child.runId);
    expect(begun).toMatchObject({ event: 'step.begin', payload: { stepNo: 1, isSubagent: true } });
  });
});

describe('a reader of the events', () => {
  it('gets the same events live as afterwards, and the pieces of answers between them', async () => {
    const { detent } = await scripted([calling('look'), calling('pay'), { text: 'done' }], {
      tools: { define: [look, pay] },
    });
    const run = detent.run('buy');
    await run.started;
    const reading = read(detent.runs.subscribe(run.runId));
    await decideAll(detent, run.runId);
    const { events, pieces } = await reading;
    expect(events).toEqual(await detent.runs.timeline(run.runId));
    expect(pieces.map(({ payload }) => 'content' in payload && payload.content).join('')).toBe(
      'I will see.I will see.done',
    );
  });

  it('goes on behind any transition that it has got', async () => {
    const { detent } = await scripted([calling('look'), { text: 'done' }], { tools: { define: [look] } });
    const run = detent.run('see');
    await run.result;
    const all = await detent.runs.timeline(run.runId);
    for (const afterSeq of [0, 1, 2, 3]) {
      const { events } = await read(detent.runs.subscribe(run.runId, { afterSeq }));
      expect(events).toEqual(all.filter(({ seq }) => seq > afterSeq));
    }
  });

  it('that comes in the middle of an answer gets it from its beginning', async () => {
    const { pass, reached, open } = gate();
    const { detent } = await scripted([
      async (_, { onDelta, signal }) => {
        onDelta({ type: 'reasoning', text: 'hm' });
        onDelta({ type: 'text', text: 'Good ' });
        onDelta({ type: 'text', text: 'mor' });
        await pass(signal);
        return { reasoning: 'hm', text: 'Good morning' };
      },
    ]);
    const run = detent.run('greet');
    await reached;
    const reading = read(detent.runs.subscribe(run.runId));
    await detent.runs.show(run.runId);
    open();
    const { pieces } = await reading;
    expect(pieces[0]).toMatchObject({ event: 'assistant.reasoning', payload: { content: 'hm', offset: 0 } });
    expect(pieces[1]).toMatchObject({
      event: 'assistant.delta',
      payload: { content: 'Good mor', contentType: 'text', offset: 0, attempt: 1 },
    });
  });

  it('may leave while it waits for an event that may be days away', async () => {
    const { pass, reached } = gate();
    const { detent } = await scripted([(_, { signal }) => pass(signal).then(() => ({ text: 'done' }))]);
    const run = detent.run('wait');
    await reached;
    const reader = detent.runs.subscribe(run.runId)[Symbol.asyncIterator]();
    const seen = (await detent.runs.timeline(run.runId)).length;
    for (let i = 0; i < seen; i++) await reader.next();
    const next = reader.next();
    await reader.return?.();
    expect(await next).toMatchObject({ done: true });
    await run.cancel();
  });

  it('of a run that does not exist, or is of another tenant, gets NOT_FOUND', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const run = detent.run('hi');
    await run.result;
    const notFound = { code: 'NOT_FOUND' };
    await expect(read(detent.runs.subscribe('run_x'))).rejects.toMatchObject(notFound);
    await expect(read(detent.runs.subscribe(run.runId, { tenantId: 2 }))).rejects.toMatchObject(notFound);
    await expect(detent.runs.timeline(run.runId, 0, 2)).rejects.toMatchObject(notFound);
  });
});
