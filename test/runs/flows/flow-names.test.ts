import { describe, expect, it } from 'vitest';
import { eventName, flowWords, namesOf } from '../../../src/runs/flows/flow-names.ts';

const nameOf = namesOf([
  { n: 1, params: JSON.stringify({ effectId: 1, id: 'approve', src: 'ask' }) },
  { n: 2, params: JSON.stringify({ effectId: 2, name: 'notify' }) },
]);

describe('an event of a workflow', () => {
  it.each([
    [{ type: 'service.done', effectId: 1 }, 'approve done'],
    [{ type: 'service.failed', effectId: 1 }, 'approve failed'],
    [{ type: 'service.began', effectId: 1 }, 'approve began'],
    [{ type: 'service.uncertain', effectId: 1 }, 'approve uncertain'],
    [{ type: 'action.done', effectId: 2 }, 'notify done'],
    [{ type: 'effect.poisoned', effectId: 9 }, 'c9 poisoned'],
    [{ type: 'tool.reconcile', callId: 1 }, 'approve decided'],
    [{ type: 'xstate.after.604800000.refund.approving' }, 'after 7 days'],
    [{ type: 'xstate.after.patience.refund.approving' }, 'after patience'],
    [{ type: 'flow.retry.1' }, 'retry of approve'],
    [{ type: 'flow.unknown.1' }, 'expiry of approve'],
    [{ type: 'flow.raise.remind' }, 'raise remind'],
    [{ type: 'order.recalled' }, 'order.recalled'],
    // A chart may call its own event as that of an agent.
    [{ type: 'model.done', effectId: 1 }, 'model.done'],
    [{ type: 'run.start' }, 'run.start'],
  ])('%j is called "%s"', (event, name) => {
    expect(eventName(event, nameOf)).toBe(name);
  });

  it.each([
    [{ type: 'service.done', output: { ok: true } }, '{"ok":true}'],
    [{ type: 'service.failed', error: { code: 'NO_ROOM', message: 'none left' } }, 'NO_ROOM: none left'],
    [{ type: 'tool.reconcile', callId: 1, verdict: 'ran', result: 7 }, 'ran: 7'],
    [{ type: 'order.recalled', order: 'o1', at: 5 }, '{"order":"o1"}'],
    [{ type: 'run.cancel', reason: 'enough' }, 'enough'],
    [{ type: 'service.began', effectId: 1 }, ''],
    [{ type: 'order.recalled' }, ''],
  ])('%j brings "%s"', (event, words) => {
    expect(flowWords(event)).toBe(words);
  });
});
