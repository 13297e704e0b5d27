import { describe, expect, it } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool } from '../../support/detent.ts';
import { driver, until } from '../drivers-support.ts';

const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });

/** What listeners of a driver hear of a run: each transition's number. */
function heard(detent: Detent, runId: string): number[] {
  const seqs: number[] = [];
  detent.on(runId, ({ type, seq }) => {
    if (type === 'transition') seqs.push(Number(seq));
  });
  return seqs;
}

const inOrder = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const lastSeq = async (detent: Detent, runId: string) => (await detent.runs.replay(runId)).folded;

describe('transitions of a run that another process drives', () => {
  it('are each told once and in order', async () => {
    const workspace = await temporaryWorkspace();
    const work = gate();
    const tools = { define: [tool('wait', { run: () => work.pass().then(() => 'ok') })] };
    const script = Array.from({ length: 6 }, (_, i) => (i < 5 ? call('wait') : { text: 'done' }));
    const a = driver(workspace, scriptedModel(script), { tools });
    const b = driver(workspace, scriptedModel([]), { tools });
    const run = a.run('go');
    const runId = await run.started;
    await work.reached;
    const from = (await lastSeq(a, runId)) + 1;
    const seqs = heard(b, runId);
    const attached = b.runs.attach(runId).result;
    await new Promise((resolve) => setTimeout(resolve, 150));
    work.open();
    expect(await attached).toMatchObject({ status: 'done', text: 'done' });
    await run.result;
    const last = await lastSeq(a, runId);
    await until(
      () => seqs.at(-1),
      (seq) => seq === last,
    );
    expect(seqs).toEqual(inOrder(from, last));
  });

  it('are each told once and in order when the run changes hands', async () => {
    const workspace = await temporaryWorkspace();
    const tools = { define: [tool('send', { confirm: true })] };
    const script = (n: number) =>
      scriptedModel([...Array.from({ length: n }, () => call('send')), { text: 'done' }]);
    const a = driver(workspace, script(1), { tools });
    const b = driver(workspace, scriptedModel([call('send'), { text: 'done' }]), { tools });
    const watcher = driver(workspace, scriptedModel([]), { tools });
    const run = a.run('go');
    const runId = await run.started;
    const seqs = heard(watcher, runId);
    const [first] = (await run.result).pending;
    await a.close();
    await b.runs.resume({ runId });
    await b.runs.confirm(runId, first?.callId ?? '', {
      verdict: 'approve',
      hash: first?.argumentsHash ?? '',
    });
    const asked = await b.runs.attach(runId).result;
    // The watcher itself decides now, before it has looked.
    const [second] = asked.pending;
    await watcher.runs.confirm(runId, second?.callId ?? '', {
      verdict: 'approve',
      hash: second?.argumentsHash ?? '',
    });
    expect(await b.runs.attach(runId).result).toMatchObject({ status: 'done' });
    const last = await lastSeq(b, runId);
    await until(
      () => seqs.at(-1),
      (seq) => seq === last,
    );
    expect(seqs).toEqual(inOrder(seqs[0] ?? 0, last));
  });
});
