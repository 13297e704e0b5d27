import { createServer, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import digest from '../../examples/workflows/digest.machine.ts';
import onboarding from '../../examples/workflows/onboarding.machine.ts';
import plan from '../../examples/workflows/plan.machine.ts';
import refund from '../../examples/workflows/refund.machine.ts';
import { checkWorkflow } from '../../src/workflow/check/check-workflow.ts';
import { tool } from '../support/detent.ts';
import { servedAt } from '../support/listening.ts';
import { day, Program } from './opened.ts';

describe.each([refund, plan, digest, onboarding])('the example $id', (workflow) => {
  it('passes the check without a warning', () => {
    expect(checkWorkflow(workflow)).toEqual([]);
  });
});

describe('the refund', () => {
  const claim = { order: 'A-17', complaint: 'broken' };
  const open = async (assessment: { amount: number; risk: string; why: string }, pay = () => 'payment 7') => {
    const paid: string[] = [];
    const program = await Program.of(refund, () => ({ output: assessment }), {
      tools: {
        define: [
          tool('refund_payment', {
            sideEffect: 'unsafe',
            confirm: false,
            run: (call) => {
              paid.push(JSON.stringify(call));
              return pay();
            },
          }),
        ],
      },
    });
    return { program, paid, runId: await program.start('refund', claim) };
  };
  const large = { amount: 120, risk: 'low', why: 'the box was empty' };

  it('is paid at once when it is small', async () => {
    const { program, paid, runId } = await open({ amount: 12, risk: 'low', why: 'a scratch' });
    expect(await program.outputOf(runId)).toEqual({ outcome: 'refunded', why: 'a scratch' });
    expect(paid).toEqual(['{"order":"A-17","amount":12}']);
  });

  it('waits for a person, over a restart, and is paid once', async () => {
    const { program, paid, runId } = await open(large);
    expect(await program.stateOf(runId)).toBe('approving');
    await program.clock.advance(6 * day);
    await program.restart();
    expect(await program.stateOf(runId)).toBe('approving');
    await program.detent.workflows.answer(runId, 'approve', { approved: true });
    expect(await program.outputOf(runId)).toEqual({ outcome: 'refunded', why: 'the box was empty' });
    expect(paid).toHaveLength(1);
  });

  it('is refused with the words of the person', async () => {
    const { program, paid, runId } = await open(large);
    await program.atRest(runId);
    await program.detent.workflows.answer(runId, 'approve', { approved: false, reason: 'the box was full' });
    expect(await program.outputOf(runId)).toEqual({ outcome: 'refused', why: 'the box was full' });
    expect(paid).toEqual([]);
  });

  it('expires after a week in which the program did not run', async () => {
    const { program, runId } = await open(large);
    await program.atRest(runId);
    await program.restart();
    await program.clock.advance(7 * day);
    expect(await program.outputOf(runId)).toMatchObject({ outcome: 'expired' });
  });

  it('is refused when the order is recalled while a person thinks', async () => {
    const { program, runId } = await open(large);
    await program.atRest(runId);
    expect(await program.detent.workflows.send(runId, { type: 'order.recalled' })).toBe(true);
    expect(await program.outputOf(runId)).toEqual({ outcome: 'refused', why: 'the order was recalled' });
  });

  it('says why when the tool fails', async () => {
    const { program, runId } = await open({ amount: 12, risk: 'low', why: '' }, () => {
      throw new Error('the bank is closed');
    });
    expect(await program.outputOf(runId)).toEqual({
      outcome: 'refused',
      why: expect.stringContaining('the bank is closed'),
    });
  });
});

describe('the plan', () => {
  const open = async (goodInRound: number) => {
    let rounds = 0;
    const program = await Program.of(plan, (prompt) => {
      if (prompt.startsWith('Plan')) return { output: { code: `code ${prompt}`, docs: `docs ${prompt}` } };
      if (!prompt.startsWith('The goal')) return { text: `did: ${prompt.slice(0, 4)}` };
      rounds++;
      return { output: { ok: rounds >= goodInRound, missing: `part ${rounds}` } };
    });
    return { program, runId: await program.start('plan', { goal: 'a door' }) };
  };

  it('goes round until the verdict is good', async () => {
    const { program, runId } = await open(2);
    expect(await program.outputOf(runId)).toEqual({
      ok: true,
      rounds: 2,
      code: 'did: code',
      docs: 'did: docs',
      missing: '',
    });
  });

  it('gives up after three rounds', async () => {
    const { program, runId } = await open(9);
    expect(await program.outputOf(runId)).toMatchObject({ ok: false, rounds: 3, missing: 'part 3' });
  });
});

describe('the digest', () => {
  async function site(failures: { mail: number; deliver: number }) {
    const delivered: { key: unknown; text: string }[] = [];
    const server: Server = createServer(async (request, response) => {
      const what = request.url === '/deliver' ? 'deliver' : 'mail';
      const fails = request.url !== '/news' && failures[what]-- > 0;
      let text = '';
      for await (const chunk of request) text += chunk;
      if (fails) return response.writeHead(503).end();
      if (what === 'deliver') delivered.push({ key: request.headers['idempotency-key'], text });
      return response.end(`what ${request.url} has`);
    });
    const base = await servedAt(server);
    return { delivered, input: { mail: `${base}/mail`, news: `${base}/news`, deliverTo: `${base}/deliver` } };
  }
  const answer = (prompt: string) =>
    prompt.startsWith('Write')
      ? {
          text: `digest of ${prompt
            .match(/what \/\w+ has/g)
            ?.sort()
            .join(', ')}`,
        }
      : { output: { ok: prompt.includes('fine'), text: 'a fine digest' } };

  it('reads, writes, is proofread twice by a run of its own, and is delivered', async () => {
    const { input, delivered } = await site({ mail: 0, deliver: 0 });
    const program = await Program.of(digest, answer);
    const runId = await program.start('digest', input);
    expect(await program.outputOf(runId)).toEqual({ sent: true, text: 'a fine digest', failure: '' });
    expect(delivered).toEqual([{ key: expect.stringContaining(runId), text: 'a fine digest' }]);
  });

  it('tries again what fails, over a restart, and under the same key', async () => {
    const { input, delivered } = await site({ mail: 1, deliver: 2 });
    const program = await Program.of(digest, answer);
    const runId = await program.start('digest', input);
    expect(await program.stateOf(runId)).toEqual({ collecting: { mail: 'reading', news: 'over' } });
    await program.restart();
    await program.clock.advance(60_000);
    expect(await program.stateOf(runId)).toBe('delivering');
    await program.clock.advance(60_000);
    expect(await program.stateOf(runId)).toBe('delivering');
    await program.restart();
    await program.clock.advance(2 * 60_000);
    expect(await program.outputOf(runId)).toMatchObject({ sent: true });
    expect(delivered).toHaveLength(1);
  });

  it('goes without what cannot be read, and says so when nothing can', async () => {
    const { input } = await site({ mail: 99, deliver: 0 });
    const program = await Program.of(digest, answer);
    const runId = await program.start('digest', input);
    await program.atRest(runId);
    await program.clock.advance(60_000);
    await program.atRest(runId);
    await program.clock.advance(2 * 60_000);
    expect(await program.outputOf(runId)).toMatchObject({ sent: true });
    const none = await program.start('digest', { ...input, news: input.mail });
    await program.atRest(none);
    await program.clock.advance(60_000);
    await program.atRest(none);
    await program.clock.advance(2 * 60_000);
    expect(await program.outputOf(none)).toMatchObject({ sent: false, failure: 'there is nothing to read' });
  });
});

describe('the onboarding', () => {
  const ada = { name: 'Ada', email: 'ada@example.com' };
  const verified = { type: 'account.verified', account: 'acc 1' } as const;
  const profile = { team: 'engines', newsletter: false };

  it('waits for weeks, reminds, remembers over a pause where it stood, and over restarts', async () => {
    const program = await Program.of(onboarding);
    const runId = await program.start('onboarding', ada);
    expect(await program.stateOf(runId)).toEqual({ joining: { account: 'awaited', profile: 'asked' } });
    for (let week = 0; week < 3; week++) {
      await program.clock.advance(7 * day);
      expect(await program.stateOf(runId)).toEqual({ joining: { account: 'awaited', profile: 'asked' } });
    }
    await program.restart();
    expect(await program.detent.workflows.send(runId, verified)).toBe(true);
    expect(await program.detent.workflows.send(runId, { type: 'member.paused' })).toBe(true);
    expect(await program.stateOf(runId)).toBe('paused');
    await program.restart();
    await program.clock.advance(60 * day);
    expect(await program.detent.workflows.send(runId, { type: 'member.resumed' })).toBe(true);
    expect(await program.stateOf(runId)).toEqual({ joining: { account: 'verified', profile: 'asked' } });
    await program.detent.workflows.answer(runId, 'profile', { answer: profile });
    expect(await program.outputOf(runId)).toEqual({ outcome: 'ready', account: 'acc 1', profile });
    expect((await program.detent.runs.list({})).map(({ status }) => status)).not.toContain('waiting');
  });

  it('ends when the member does not come within six weeks', async () => {
    const program = await Program.of(onboarding);
    const runId = await program.start('onboarding', ada);
    await program.atRest(runId);
    await program.clock.advance(42 * day);
    expect(await program.outputOf(runId)).toEqual({ outcome: 'left', account: '', profile: null });
  });

  it('refuses an event that does not fit', async () => {
    const program = await Program.of(onboarding);
    const runId = await program.start('onboarding', ada);
    await program.atRest(runId);
    await expect(
      program.detent.workflows.send(runId, { type: 'account.verified' } as never),
    ).rejects.toMatchObject({ code: 'INVALID_EVENT' });
  });
});
