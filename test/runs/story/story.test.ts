import { describe, expect, it } from 'vitest';
import { type AskedQuestion, Story } from '../../../src/runs/story/story.ts';
import type { AssistantBody, ToolBody } from '../../../src/store/stored-message.ts';

type Entry = Parameters<Story['take']>[0];

const answer = (effectId: number, ...names: string[]): AssistantBody => ({
  effectId,
  upTo: 0,
  provider: 'test/script',
  model: '',
  text: 'I will see.',
  reasoning: '',
  refusal: '',
  finishReason: null,
  finish: 'stop',
  usage: null,
  costUsd: 0.5,
  toolCalls: names.map((name, i) => ({ callId: effectId + 1 + i, id: '', name, arguments: '{}' })),
  error: null,
});

const result = (callId: number, over: Partial<ToolBody> = {}): ToolBody => ({
  ...{ callId, text: 'ok', isError: false, code: null, status: 'done' as const },
  ...over,
});

const question = (call: number, n: number, askedAt: number): AskedQuestion => ({
  ...{ call, n, askedAt, kind: 'confirm' as const, hash: 'h', status: 'open' as const, decision: null },
  ...{ name: 'pay', arguments: '{}', why: 'its default' },
});

const entry = (at: number, event: Entry['event'], messages: Entry['messages'] = []): Entry => ({
  ...{ at, path: 'active.working.tooling.executing', event, messages },
});

const asking = (effectId: number, at: number): Entry =>
  entry(at, { type: 'model.done', calls: [{ callId: effectId + 1, gate: 'ask', class: 'unsafe' }] }, [
    { role: 'assistant', body: answer(effectId, 'pay') },
  ]);

describe('the story of a run', () => {
  it('says what each transition changed', () => {
    const story = new Story();
    const questions = [question(2, 1, 10), question(2, 2, 10)];
    const first = story.take(asking(1, 10), questions);
    expect(first.from).toBe('idle');
    expect(first.said).toMatchObject([
      { step: 1, total: { costUsd: 0.5 }, calls: [{ name: 'pay', gate: 'ask' }] },
    ]);
    expect(first.asked).toEqual([questions[0]]);
    const decided = story.take(
      entry(11, { type: 'confirm.decide', callId: 2, verdict: 'approve' }),
      questions,
    );
    expect(decided.settled).toMatchObject({ callId: 2, verdict: 'approve', kind: 'confirm' });
    // The call itself asks, in the same millisecond in which it was asked about.
    const again = story.take(entry(10, { type: 'tool.asked', callId: 2 }), questions);
    expect(again.asked).toEqual([questions[1]]);
    const closed = story.take(
      entry(12, { type: 'run.message' }, [
        { role: 'tool', body: result(2, { status: 'skipped', code: 'SKIPPED' }) },
      ]),
      questions,
    );
    expect(closed.said).toMatchObject([{ call: { name: 'pay' }, settled: { verdict: 'skipped' } }]);
    expect(closed.settled).toBeNull();
  });

  it('takes events of any shape: a chart calls its own as it likes', () => {
    const event = { type: 'run.start', calls: [null, 2] } as unknown as Entry['event'];
    expect(new Story().take(entry(1, event), []).asked).toEqual([]);
  });

  it('keeps nothing of what is over, however long the run is', () => {
    const story = new Story();
    for (let at = 1; at < 10_000; at += 2) {
      const asked = story.take(asking(at, at), [question(at + 1, 1, at)]).asked;
      expect(asked).toHaveLength(1);
      story.take(entry(at, { type: 'tool.done' }, [{ role: 'tool', body: result(at + 1) }]), []);
    }
    expect(story.open.size).toBe(0);
    expect(story.tally.answers).toBe(5_000);
  });
});
