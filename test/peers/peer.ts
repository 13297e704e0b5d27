import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatCompletionRequest, type FixtureFileResponse, LLMock } from '@copilotkit/aimock';
import type { Detent, DetentOptions } from '../../src/index.ts';
import type { ModelApi } from '../../src/protocol/enums.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { afterwards } from '../support/afterwards.ts';
import { expectReplays } from '../support/left-behind.ts';

export const apis: readonly ModelApi[] = ['chat', 'responses', 'messages'];

/** The counts of a fixture's answer, in the words of all three wires. */
export const counts = { prompt_tokens: 21, completion_tokens: 7, input_tokens: 21, output_tokens: 7 };

/** A server written elsewhere, on the loopback until the file's tests have ended. */
export async function startPeer(): Promise<LLMock> {
  const peer = new LLMock({ port: 0, host: '127.0.0.1' });
  await peer.start();
  afterwards(() => peer.stop());
  return peer;
}

/** Where the peer speaks a wire, as the SDK of that wire takes it. */
export function baseUrlOf(peer: LLMock, api: ModelApi): string {
  return api === 'messages' ? peer.url : `${peer.url}/v1`;
}

/** A Detent whose model is the peer; closed, and its runs replayed, after the file's tests. */
export function detentAt(peer: LLMock, api: ModelApi, options: DetentOptions = {}): Detent {
  // The folder of the project has a memory, which would be part of the prompts.
  const workspace = mkdtempSync(join(tmpdir(), 'detent-peer-'));
  afterwards(() => rm(workspace, { recursive: true, force: true }));
  const detent = createDetent({
    store: 'in-process',
    env: {},
    workspace,
    model: 'peer/some-model',
    models: { peer: { baseUrl: baseUrlOf(peer, api), api } },
    ...options,
  });
  afterwards(async () => {
    await expectReplays(detent);
    await detent.close();
  });
  return detent;
}

/** Answers by how many rounds of tools stand behind the last message of the user already. */
export function inTurn(...answers: FixtureFileResponse[]) {
  return ({ messages }: ChatCompletionRequest): never => {
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const rounds = messages.filter(
      ({ role }, i) => i > last && role === 'tool' && messages[i - 1]?.role !== 'tool',
    ).length;
    // Its own type for what a function answers is the one before its fixtures are read.
    return (answers[rounds] ?? { content: 'There is no answer to this.' }) as never;
  };
}
