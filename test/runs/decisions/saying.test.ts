import { describe, expect, it, vi } from 'vitest';
import { sayingOf } from '../../../src/runs/decisions/decisions.ts';
import { startRequest } from '../../../src/runtime/requests/run-request.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { coreWith, tool } from '../../support/detent.ts';

describe('what an event says of a call', () => {
  it.each([
    [{ type: 'tool.asked', question: { text: 'Which one?' } }, 'c3 asks: Which one?'],
    [{ type: 'confirm.decide', verdict: 'reject' }, 'c3 reject'],
    [{ type: 'confirm.decide', verdict: 'answer', answer: 'the red one' }, 'c3 answer: the red one'],
    [{ type: 'confirm.decide', verdict: 'answer', answer: { red: true } }, 'c3 answer: {"red":true}'],
    [{ type: 'confirm.decide', verdict: 'answer', given: { ok: true } }, 'c3 result of the client'],
    [{ type: 'subrun.parked' }, 'c3'],
  ])('%j', (event, words) => {
    expect(sayingOf(3, event)).toBe(words);
  });
});

describe('what may be decided of a call that needs four eyes', () => {
  it('is read without a commit', async () => {
    const act = tool('act', { sideEffect: 'unsafe', confirm: true });
    const options = { tools: { define: [act] }, policy: { fourEyes: ['act'] } };
    const core = await coreWith(scriptedModel([{ toolCalls: [{ name: 'act' }] }]), options);
    const request = { principal: { userId: 'ada' } };
    await core.runs.start(startRequest('go', request, { model: 'test/script', env: {} }, 'run_1'));
    await core.runs.settled(1, 'run_1');
    const commit = vi.spyOn(core.store, 'commit');
    const verdictsFor = async (by: string) =>
      (await core.runs.allowed(1, 'run_1', by)).flatMap(({ verdict }) => verdict ?? []);
    expect(await verdictsFor('ada')).not.toContain('approve');
    expect(await verdictsFor('bob')).toContain('approve');
    expect(commit).not.toHaveBeenCalled();
  });
});
