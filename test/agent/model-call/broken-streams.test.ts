import { describe, expect, it } from 'vitest';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { serve } from '../../models/support/loopback.ts';
import { allRecordings, type Recording, wires } from '../../models/support/recordings.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { expectReplays } from '../../support/left-behind.ts';
import { inSizes } from '../../support/size.ts';
import {
  type Break,
  beginnings,
  endOf,
  notingTools,
  otherBreaks,
  providerOf,
  sendBroken,
  sendWhole,
  spread,
  watched,
} from './cut-recordings.ts';

/** How many recordings of each wire, and at how many of their boundaries. */
const size = inSizes({
  usual: { recordings: 3, boundaries: 3 },
  deep: { recordings: 5, boundaries: 6 },
  full: { recordings: Number.POSITIVE_INFINITY, boundaries: Number.POSITIVE_INFINITY },
});

interface Counts {
  boundaries: number;
  /** Runs whose first attempt broke off. */
  cuts: number;
  /** The answer was complete before the break, so nothing was repeated. */
  complete: number;
  withdrawn: number;
  estimated: number;
  /** Tool calls of the whole recordings that ran. */
  executions: number;
}

const atOnce = 64;

/** Cuts one recording at its boundaries: a run for each. */
async function cutEverywhere(recording: Recording, counts: Counts): Promise<void> {
  const parts = beginnings(recording);
  // A cut at each boundary, and at every third one another break, in turn.
  const cases = spread([...parts.keys()], size.boundaries).flatMap((events, i) => [
    { events, how: 'cut' as Break },
    ...(i % 3 === 0 ? [{ events, how: otherBreaks[(i / 3) % otherBreaks.length] as Break }] : []),
  ]);
  const asked = new Map<string, number>();
  const server = await serve(async (response, { body }) => {
    const { model } = JSON.parse(body) as { model: string };
    const requests = (asked.get(model) ?? 0) + 1;
    asked.set(model, requests);
    const [events, how] = model.split('-');
    const beginning = parts[Number(events)];
    if (requests > 1 || !beginning) sendWhole(response, recording.bytes);
    else await sendBroken(response, beginning, how as Break);
  });
  const ran: string[] = [];
  const detent = createDetent({
    store: 'in-process',
    env: {},
    workspace: await temporaryWorkspace(),
    models: {
      peer: {
        ...providerOf(recording, server.baseURL),
        models: { '*': { price: { inputUsd: 1, outputUsd: 1 } } },
      },
    },
    router: { breaker: { failures: 0 } },
    // The conversation after the recorded answer is not part of the recording.
    limits: { maxSteps: 1, maxRetries: 1 },
    tools: { define: notingTools(recording, ran) },
  });
  try {
    const whole = await watched(detent, 'peer/whole');
    const expected = endOf(whole.view);
    const executionsOf = (runId: string) =>
      ran.filter((one) => one.startsWith(`${runId} `)).map((one) => one.slice(runId.length));
    const executions = executionsOf(whole.view.runId).sort();
    const { total: price } = await detent.usage({ runId: whole.view.runId });
    const attempts = asked.get('whole') ?? 0;

    const check = async ({ events, how }: (typeof cases)[number]) => {
      const model = `${events}-${how}`;
      const { view, words } = await watched(detent, `peer/${model}`);
      const where = `${recording.id} after ${events} of ${parts.length} events, ${how}`;
      expect(endOf(view), where).toEqual(expected);
      expect(words, where).toBe(whole.words);
      expect(executionsOf(view.runId).sort(), where).toEqual(executions);
      const { total } = await detent.usage({ runId: view.runId });
      const requests = asked.get(model) ?? 0;
      expect(total.calls, where).toBe(Math.min(requests, 2));
      counts.cuts++;
      if (how === 'cut') counts.boundaries++;
      if (requests === attempts && !view.withdrawn) counts.complete++;
      const [withdrawn, ...others] = view.withdrawn ?? [];
      if (!withdrawn) return;
      expect(others, where).toEqual([]);
      expect(requests, where).toBeGreaterThan(1);
      // Its words cost something, and the ledger has that on top of what the whole answer costs.
      expect(total.failed, where).toBeGreaterThanOrEqual(1);
      expect(total.inputTokens, where).toBeGreaterThan(price.inputTokens);
      expect(total.costUsd ?? 0, where).toBeGreaterThan(price.costUsd ?? 0);
      expect(view.usage.inputTokens, where).toBe(total.inputTokens);
      expect(view.usage.outputTokens, where).toBe(total.outputTokens);
      counts.withdrawn++;
      counts.estimated += total.estimated;
    };
    const queue = [...cases];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await check(next);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    counts.executions += executions.length;
    await expectReplays(detent);
  } finally {
    await detent.close();
  }
}

describe.each(wires)('a recorded stream of %s that falls silent', (wire) => {
  it('has broken off after stallTimeoutMs, and is asked for again', async () => {
    const recording = allRecordings().find(
      ({ strict, expected, ...one }) =>
        strict && one.wire === wire && expected.text !== '' && expected.toolCalls.length === 0,
    );
    if (!recording) throw new Error(`no recording of ${wire} has text alone`);
    const parts = beginnings(recording);
    const half = parts[Math.floor(parts.length / 2)] ?? new Uint8Array();
    let requests = 0;
    const server = await serve((response) => {
      if (requests++ === 0) response.write(half);
      else sendWhole(response, recording.bytes);
    });
    const detent = createDetent({
      store: 'in-process',
      env: {},
      workspace: await temporaryWorkspace(),
      models: { peer: { ...providerOf(recording, server.baseURL), stallTimeoutMs: 150 } },
    });
    const { view, words } = await watched(detent, 'peer/slow');
    expect(view).toMatchObject({ outcome: 'completed', withdrawn: [{ error: { code: 'MODEL_TIMEOUT' } }] });
    expect(view.withdrawn?.[0]?.error?.message).toContain('sent nothing more for 150 ms');
    expect(words).toBe(view.text);
    expect(requests).toBe(2);
    await expectReplays(detent);
    await detent.close();
  });
});

describe.each(wires)('a recorded stream of %s that breaks off between two events', (wire) => {
  it('is asked for again, and the run ends as with the whole recording', async () => {
    const strict = allRecordings().filter((one) => one.wire === wire && one.strict);
    const chosen = spread(strict, size.recordings);
    const counts: Counts = { boundaries: 0, cuts: 0, complete: 0, withdrawn: 0, estimated: 0, executions: 0 };
    for (const recording of chosen) await cutEverywhere(recording, counts);
    expect(counts.withdrawn).toBeGreaterThan(0);
    console.log(
      `${wire}: ${chosen.length} of ${strict.length} strict recordings, broken off ${counts.cuts} times (${counts.boundaries} boundaries, a cut at each), ${counts.withdrawn} answers withdrawn (${counts.estimated} with estimated tokens), ${counts.complete} complete before the break, ${counts.executions} tool calls of the whole recordings`,
    );
  });
});
