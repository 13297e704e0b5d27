import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/index.ts';
import type { Scope } from '../../src/protocol/access.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { served } from './support.ts';

/** An order is the user's to decide up to 100, and the staff's above. */
const shop = async (amounts: readonly number[], policy = {}) => {
  const paid: number[] = [];
  const order = defineTool({
    name: 'order',
    description: 'Orders.',
    parameters: z.object({ amount: z.number() }),
    sideEffect: 'unsafe',
    confirm: ({ amount }) => (amount > 100 ? 'staff' : 'user'),
    run: ({ amount }) => void paid.push(amount),
  });
  const script = amounts.flatMap((amount): ScriptLine[] => [
    { toolCalls: [{ name: 'order', arguments: { amount } }] },
    { text: 'done' },
  ]);
  const world = await served(script, { tools: { define: [order] }, policy }, { onError: () => {} });
  const { detent, connect, token } = world;
  const as = async (userId: string, scopes: Scope[]) =>
    connect(await token({ userId, scopes, ...(scopes.includes('approve') && { sees: 'tenant' as const }) }));
  const ann = await as('ann', ['talk']);
  const bob = await as('bob', ['read', 'write', 'approve']);
  /** A run of Ann's that waits. */
  const asked = async (request: object = {}) => {
    const view = await detent.run('buy', { principal: { userId: 'ann' }, ...request }).result;
    const [pending] = view.pending;
    return { runId: view.runId, callId: String(pending?.callId), pending, view };
  };
  /** The verdicts that a client finds allowed. */
  const verdicts = async (client: typeof ann, runId: string) => {
    const { allowed } = await client.ask('run.get', { runId });
    return (allowed as unknown as { verdict?: string }[]).flatMap(({ verdict }) => verdict ?? []);
  };
  const approve = { verdict: 'approve' };
  return { ...world, ann, bob, as, asked, verdicts, approve, paid };
};

describe('a call that the user of the run decides on', () => {
  it('is approved with the scope talk, by that user and nobody of the staff', async () => {
    const { ann, bob, asked, verdicts, approve, paid, detent } = await shop([50]);
    const { runId, callId, pending } = await asked();
    expect(pending).toMatchObject({ decides: 'user' });
    expect(await verdicts(ann, runId)).toEqual(['approve', 'reject', 'modify']);
    expect(await verdicts(bob, runId)).toEqual(['reject']);
    const call = { runId, callId, ...approve };
    expect(await bob.refused('tool.confirm', call)).toMatchObject({ code: 'NOT_THE_DECIDER' });
    expect(paid).toEqual([]);
    expect(await ann.ask('tool.confirm', call)).toMatchObject({ applied: true, verdict: 'approve' });
    expect(await ann.ask('agent.wait', { runId })).toMatchObject({ status: 'done' });
    expect(paid).toEqual([50]);
    // A phone that did not hear the answer asks again.
    expect(await ann.ask('tool.confirm', call)).toEqual({ applied: false, verdict: 'approve', stands: true });
    expect(await detent.runs.timeline(runId)).toContainEqual(
      expect.objectContaining({
        event: 'tool.confirm_resolved',
        payload: { callId, verdict: 'approve', by: 'ann' },
      }),
    );
  });

  it('is no call of another user, of any scope', async () => {
    const { as, asked, approve } = await shop([50]);
    const { runId, callId } = await asked();
    const eve = await as('eve', ['talk']);
    expect(await eve.refused('tool.confirm', { runId, callId, ...approve })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('cannot be changed into one that the staff decides on, nor let later ones run', async () => {
    const { ann, asked, paid } = await shop([50]);
    const { runId, callId } = await asked();
    const call = { runId, callId };
    const changed = { ...call, verdict: 'modify', arguments: { amount: 101 } };
    expect(await ann.refused('tool.confirm', changed)).toMatchObject({ code: 'OTHER_DECIDER' });
    const granted = { ...call, verdict: 'approve', grant: { pattern: { amount: { any: true } } } };
    expect(await ann.refused('tool.confirm', granted)).toMatchObject({ code: 'FORBIDDEN' });
    await ann.ask('tool.confirm', { ...call, verdict: 'modify', arguments: { amount: 10 } });
    await ann.ask('agent.wait', { runId });
    expect(paid).toEqual([10]);
  });

  it('is for anyone who may approve when the run has no user', async () => {
    const { bob, asked, approve, paid } = await shop([50]);
    const { runId, callId } = await asked({ principal: {} });
    await bob.ask('tool.confirm', { runId, callId, ...approve });
    await bob.ask('agent.wait', { runId });
    expect(paid).toEqual([50]);
  });

  it('is for the program to decide that serves the user', async () => {
    const { detent, asked, paid } = await shop([50]);
    const { runId, callId } = await asked();
    await detent.runs.confirm(runId, callId, { verdict: 'approve' });
    await detent.runs.attach(runId).result;
    expect(paid).toEqual([50]);
  });
});

describe('a call that the staff decides on', () => {
  it('is never approved by the user of the run, whatever that user may do', async () => {
    const { ann, bob, as, asked, verdicts, approve, paid } = await shop([500]);
    const { runId, callId, pending } = await asked();
    expect(pending).toMatchObject({ decides: 'staff' });
    const call = { runId, callId, ...approve };
    expect(await verdicts(ann, runId)).toEqual([]);
    expect(await ann.refused('tool.confirm', call)).toMatchObject({ code: 'FORBIDDEN' });
    const manager = await as('ann', ['read', 'write', 'approve', 'admin']);
    expect(await verdicts(manager, runId)).toEqual(['reject']);
    expect(await manager.refused('tool.confirm', call)).toMatchObject({ code: 'NOT_THE_DECIDER' });
    const less = { ...call, verdict: 'modify', arguments: { amount: 1 } };
    expect(await manager.refused('tool.confirm', less)).toMatchObject({ code: 'OTHER_DECIDER' });
    expect(paid).toEqual([]);
    await bob.ask('tool.confirm', call);
    await bob.ask('agent.wait', { runId });
    expect(paid).toEqual([500]);
  });

  it('asks whatever the request and grants of the session say, and is refused where nobody is asked', async () => {
    const { bob, asked, approve, paid } = await shop([500, 500, 500]);
    const first = await asked({ sessionId: 'ann:desk' });
    const granted = { runId: first.runId, callId: first.callId, ...approve, grant: {} };
    await bob.ask('tool.confirm', granted);
    await bob.ask('agent.wait', { runId: first.runId });
    const again = await asked({ sessionId: 'ann:desk', approve: 'all' });
    expect(again.view.status).toBe('waiting');
    await bob.ask('tool.confirm', { runId: again.runId, callId: again.callId, verdict: 'reject' });
    await bob.ask('agent.wait', { runId: again.runId });
    const { view } = await asked({ approve: 'none' });
    expect(view.steps[0]?.toolCalls).toMatchObject([{ code: 'REJECTED_BY_POLICY' }]);
    expect(paid).toEqual([500]);
  });

  it('is approved for nobody who may not approve, also through a program', async () => {
    const { detent, asked, paid } = await shop([500]);
    const { runId, callId } = await asked();
    const decision = { verdict: 'approve', mayApprove: false, by: 'bob' } as const;
    await expect(detent.runs.confirm(runId, callId, decision)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(paid).toEqual([]);
  });

  it('is what the configuration says, over what the tool says', async () => {
    const { asked } = await shop([50], { confirm: { order: 'staff' } });
    expect((await asked()).pending).toMatchObject({
      decides: 'staff',
      why: 'configuration: staff must approve order',
    });
  });
});
