import { describe, expect, it } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';
import { temporaryWorkspace, withModel } from '../../support/detent.ts';
import { isFlush, isPrompt, isSummary, words } from './support.ts';

/** Known to have a window of 8,192 tokens. */
const small = 'test/moonshot-v1-8k';

describe('a message while the session is compacted', () => {
  it.each([
    ['flushed', isFlush],
    ['summarised', isSummary],
  ])('is heard by the next call, and no part of what is %s, however much is said', async (_, isNow) => {
    // Together more than a compaction would keep.
    const said = [1, 2, 3, 4, 5].map((n) => `hear me ${n} ${words(2_000, n)}`);
    const workspace = await temporaryWorkspace();
    const detent: { current?: Detent; runId?: string } = {};
    let steered = false;
    const line = async (request: ModelRequest): Promise<ScriptedAnswer> => {
      if (isPrompt(request)) return { text: words(2_000, 0) };
      if (!steered && isNow(request)) {
        for (const message of said) await detent.current?.runs.steer(detent.runId ?? '', message);
        steered = true;
      }
      return { text: isFlush(request) ? 'NOTHING' : 'SUMMARY' };
    };
    const model = scriptedModel(Array.from({ length: 60 }, () => line));
    detent.current = withModel(model, { workspace, tools: { allowed: ['calculator'] } });
    while (!steered) {
      const run = detent.current.run(words(2_000, 0), { sessionId: 's', model: small });
      detent.runId = run.runId;
      await run.result;
    }
    const heard = model.requests.at(-1)?.messages.slice(-said.length);
    expect(heard).toEqual(said.map((text) => ({ role: 'user', text })));
    for (const request of model.requests.filter((each) => !isPrompt(each)))
      expect(JSON.stringify(request.messages)).not.toContain('hear me');
  });
});
