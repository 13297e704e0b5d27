import type { FixtureOpts, LLMock } from '@copilotkit/aimock';
import { describe, expect, it } from 'vitest';
import type { Detent } from '../../src/index.ts';
import type { ModelApi } from '../../src/protocol/enums.ts';
import { someOf } from '../support/deep.ts';
import { apis, detentAt, startPeer } from './peer.ts';

interface Fault {
  options: FixtureOpts;
  /** How a run ends that meets nothing else. */
  code: string;
  /** What comes before it. */
  partial: string;
  /** Whether the run tries again by itself. */
  isRepeated: boolean;
}

const half = 'Half of this is lost on its way.';
const faults: Record<string, Fault> = {
  'a 429 with Retry-After': {
    options: { chaos: { rateLimitRate: 1 } },
    code: 'MODEL_RATE_LIMIT',
    partial: '',
    isRepeated: true,
  },
  'a 500': { options: { chaos: { dropRate: 1 } }, code: 'MODEL_SERVER', partial: '', isRepeated: true },
  'JSON that is none': {
    options: { chaos: { malformedRate: 1 } },
    code: 'MODEL_MALFORMED',
    partial: '',
    isRepeated: false,
  },
  'a hang-up before the headers': {
    options: { chaos: { disconnectRate: 1 } },
    code: 'MODEL_NETWORK',
    partial: '',
    isRepeated: true,
  },
  'a cut in the middle of the stream': {
    // What is written in one go with the cut may never leave.
    options: { chunkSize: 2, truncateAfterChunks: 9, latency: 15 },
    code: 'MODEL_NETWORK',
    partial: 'Half',
    isRepeated: true,
  },
};

/** A run that meets the fault every time, or the first time only. */
async function runOf(api: ModelApi, { options }: Fault, isLasting: boolean) {
  const peer = await startPeer();
  peer.on({ userMessage: 'Tell', ...(!isLasting && { sequenceIndex: 0 }) }, { content: half }, options);
  peer.on({ userMessage: 'Tell' }, { content: 'All of it.' });
  const detent = detentAt(peer, api);
  return { peer, detent, view: await ask(detent) };
}

function ask(detent: Detent) {
  return detent.run('Tell me.', { limits: { maxRetries: 1 } }).result;
}

function statuses(peer: LLMock): number[] {
  return peer.getRequests().map(({ response }) => response.status);
}

describe.concurrent.each(apis)('a run over the %s wire', (api) => {
  it.each(someOf(Object.entries(faults), 4))(
    'that meets %s again and again ends, and says why',
    async (_, fault) => {
      const { peer, view } = await runOf(api, fault, true);
      expect(view).toMatchObject({
        status: 'failed',
        outcome: 'provider_error',
        error: { code: fault.code },
      });
      expect(statuses(peer)).toHaveLength(fault.isRepeated ? 2 : 1);
      const said = view.steps.map(({ text }) => text).join(' ');
      if (fault.partial !== '') expect(said).toContain(fault.partial);
      expect(said).not.toContain('All of it.');
    },
  );

  it.each(Object.entries(faults))('that meets %s once succeeds after it', async (_, fault) => {
    const { peer, detent, view } = await runOf(api, fault, false);
    const passed = fault.isRepeated ? view : await ask(detent);
    expect(passed).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(statuses(peer)).toHaveLength(2);
  });

  it('that waits for a slow server gets its answer', async () => {
    const { view } = await runOf(
      api,
      { ...faults['a 500'], options: { latency: 40, chunkSize: 8 } } as Fault,
      true,
    );
    expect(view).toMatchObject({ outcome: 'completed', text: half });
  });

  it('that is cancelled while a slow server answers is cancelled, and keeps what came', async () => {
    const peer = await startPeer();
    peer.on({ userMessage: 'Tell' }, { content: half.repeat(50) }, { latency: 20, chunkSize: 4 });
    const detent = detentAt(peer, api);
    const run = detent.run('Tell me.');
    for await (const event of run.events) if (event.type === 'delta') break;
    await run.cancel();
    const view = await run.result;
    expect(view).toMatchObject({ status: 'cancelled' });
  });
});
