import { describe, expect, it } from 'vitest';
import { served } from '../gateway/support.ts';
import { fixture, parsedFixture } from './support.ts';

interface Pending {
  callId: string;
  decides: string;
}
const orders = Object.values(
  parsedFixture<{ orders: Record<string, { order_id: string; user_id: string; status: string }> }>('db.json')
    .orders,
);
const { order_id: orderId, user_id: customer } = orders.find(({ status }) => status === 'pending') ??
  orders[0] ?? {
    order_id: '',
    user_id: '',
  };
const cancel = { action: 'cancel', orderId, reason: 'no longer needed' };
const call = (args: object) => ({ toolCalls: [{ name: 'order_change', arguments: args }] });

/** A gateway whose assistant cancels an order above the amount of the shop; the customer, staff, and another customer. */
async function shopAtWork(script: Parameters<typeof served>[0]) {
  const { detent, connect, token, http } = await served(script, { shop: { staffAbove: '0.01' } });
  await detent.shop.import(fixture('db.json'));
  const talk = { scopes: ['talk'] as const };
  const hers = await token({ ...talk, userId: customer });
  const client = await connect(hers);
  const { runId } = await client.ask<{ runId: string }>('agent.run', { prompt: 'cancel it', sessionId: 's' });
  const waits = async (): Promise<Pending> => {
    const { pending } = await client.ask<{ pending: Pending[] }>('agent.wait', { runId });
    const [first] = pending;
    if (!first) throw new Error('nothing is pending');
    return first;
  };
  return {
    client,
    http,
    hers,
    runId,
    waits,
    staff: await connect(await token({ scopes: ['approve', 'read'], userId: 'boss', sees: 'tenant' })),
    ownStaff: await connect(await token({ scopes: ['approve', 'read'], userId: customer })),
    stranger: await connect(await token({ ...talk, userId: 'eve' })),
  };
}

describe('an order above the amount, over a gateway', () => {
  const script = [call(cancel), call({ ...cancel, approval: 'staff' }), { text: 'It is cancelled.' }];

  it('is cancelled when the customer agreed and staff approved; the customer cannot be staff', async () => {
    const { client, staff, ownStaff, stranger, http, hers, runId, waits } = await shopAtWork(script);
    const table: string[] = [];
    const asked = await waits();
    expect(asked.decides).toBe('user');
    expect(
      await stranger.refused('tool.confirm', { runId, callId: asked.callId, verdict: 'approve' }),
    ).toMatchObject({
      code: 'NOT_FOUND',
    });
    await client.ask('tool.confirm', { runId, callId: asked.callId, verdict: 'approve' });
    const { callId, decides } = await waits();
    expect(decides).toBe('staff');
    const decision = { runId, callId };
    const attempts: [string, () => Promise<{ code?: string }>][] = [
      ['the customer approves', () => client.refused('tool.confirm', { ...decision, verdict: 'approve' })],
      [
        'the customer approves other arguments',
        () => client.refused('tool.confirm', { ...decision, verdict: 'modify', arguments: cancel }),
      ],
      [
        'the customer approves over HTTP',
        async () => {
          const place = `/api/v1/runs/${runId}/confirmations/${callId}`;
          return (await http(place, { method: 'POST', body: { verdict: 'approve' }, token: hers })).body;
        },
      ],
      [
        'the customer, with a token of staff, approves',
        () => ownStaff.refused('tool.confirm', { ...decision, verdict: 'approve' }),
      ],
      [
        'another customer approves',
        () => stranger.refused('tool.confirm', { ...decision, verdict: 'approve' }),
      ],
    ];
    for (const [name, attempt] of attempts) {
      const { code = 'DONE' } = await attempt();
      table.push(`${code.padEnd(24)} ${name}`);
      expect(['FORBIDDEN', 'NOT_FOUND', 'NOT_THE_DECIDER', 'OTHER_DECIDER', 'OWN_REQUEST'], name).toContain(
        code,
      );
      expect(await waits(), name).toMatchObject({ callId, decides: 'staff' });
    }
    console.log(`${table.join('\n')}\n${table.length} attempts over a gateway, 0 succeeded`);
    await staff.ask('tool.confirm', { ...decision, verdict: 'approve' });
    expect(await client.ask('agent.wait', { runId })).toMatchObject({ text: 'It is cancelled.' });
    const results = client.events.filter(({ event }) => event === 'tool.result');
    expect(JSON.stringify(results.at(-1))).toContain('"status":"cancelled"');
  });

  it('stays as it is when staff refuses', async () => {
    const { client, staff, runId, waits } = await shopAtWork([...script.slice(0, 2), { text: 'It stays.' }]);
    await client.ask('tool.confirm', { runId, callId: (await waits()).callId, verdict: 'approve' });
    await staff.ask('tool.confirm', { runId, callId: (await waits()).callId, verdict: 'reject' });
    expect(await client.ask('agent.wait', { runId })).toMatchObject({ text: 'It stays.' });
    expect(JSON.stringify(client.events)).not.toContain(': cancelled');
  });

  it('is not changed by a model that asks staff before the customer', async () => {
    const { client, staff, runId, waits } = await shopAtWork([
      call({ ...cancel, approval: 'staff' }),
      { text: 'Not yet.' },
    ]);
    await staff.ask('tool.confirm', { runId, callId: (await waits()).callId, verdict: 'approve' });
    expect(await client.ask('agent.wait', { runId })).toMatchObject({ text: 'Not yet.' });
    expect(JSON.stringify(client.events)).toContain('CUSTOMER_FIRST');
  });
});
