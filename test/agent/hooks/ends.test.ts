import { describe, expect, it } from 'vitest';
import type { Hooks, RunEnded } from '../../../src/index.ts';
import { gate, scripted, tool } from '../../support/detent.ts';
import { didOf } from './records.ts';

describe('a runEnd hook', () => {
  it('is told once of each run that has ended, however it ended, and not of one that waits', async () => {
    const ends: RunEnded[] = [];
    const pay = tool('pay', { sideEffect: 'unsafe' });
    const { detent } = await scripted([{ text: 'done' }, { error: {} }, { toolCalls: [{ name: 'pay' }] }], {
      tools: { define: [pay] },
      hooks: { runEnd: [(view) => void ends.push(view)] },
    });
    const first = await detent.run('a', { sessionId: 'a' }).result;
    await detent.run('b').result;
    const waiting = detent.run('c');
    await waiting.result;
    expect(ends.map(({ outcome }) => outcome)).toEqual(['completed', 'provider_error']);
    await waiting.cancel();
    expect(ends[2]).toMatchObject({ outcome: 'cancelled', error: null });
    expect(ends[0]).toMatchObject({
      runId: first.runId,
      sessionId: 'a',
      steps: 1,
      inputTokens: 10,
      outputTokens: 5,
      costUsd: null,
    });
    expect(ends[1]?.error?.code).toBe('MODEL_BAD_REQUEST');
  });

  const wrong: [string, NonNullable<Hooks['runEnd']>[number], string][] = [
    [
      'throws',
      () => {
        throw new Error('no mail');
      },
      'it threw: no mail',
    ],
    ['hangs', () => new Promise(() => {}), 'it took longer than 30 ms'],
    ['answers', (() => ({ veto: 'x' })) as never, 'it answered { veto }; a runEnd hook answers nothing'],
  ];
  it.each(wrong)('that %s changes nothing, and is reported', async (_, hook, why) => {
    const reported: [string, unknown][] = [];
    const { detent } = await scripted([{ text: 'done' }], {
      hookTimeoutMs: 30,
      hooks: { runEnd: [hook] },
      onError: (error, runId) => void reported.push([runId, error]),
    });
    const { runId, outcome } = await detent.run('go').result;
    await detent.close();
    expect(outcome).toBe('completed');
    expect(reported).toEqual([
      [runId, expect.objectContaining({ code: 'HOOK_FAILED', message: expect.stringContaining(why) })],
    ]);
  });

  it('is waited for when the program closes', async () => {
    const stuck = gate();
    let isThrough = false;
    const { detent } = await scripted([{ text: 'done' }], {
      hooks: {
        runEnd: [
          async () => {
            await stuck.pass();
            isThrough = true;
          },
        ],
      },
    });
    await detent.run('go').result;
    await stuck.reached;
    const closed = detent.close();
    stuck.open();
    await closed;
    expect(isThrough).toBe(true);
  });
});

describe('a beforeCompact hook', () => {
  it('that refuses a requested compaction fails it with its reason', async () => {
    const { detent } = await scripted([{ text: 'x'.repeat(400) }, { text: 'y'.repeat(400) }], {
      hooks: {
        beforeCompact: [
          function keepAll({ isAsked }) {
            return isAsked ? { veto: 'all of it is evidence' } : null;
          },
        ],
      },
    });
    for (const prompt of ['one', 'two']) await detent.run(prompt, { sessionId: 's' }).result;
    const failed = await detent.sessions.compact('s').then(
      (done) => done,
      (error: unknown) => error,
    );
    expect(JSON.stringify(failed)).toContain('HOOK_VETO');
    const [newest] = await detent.runs.list();
    expect(await didOf(detent, newest?.runId ?? '')).toEqual(['beforeCompact keepAll veto']);
  });
});
