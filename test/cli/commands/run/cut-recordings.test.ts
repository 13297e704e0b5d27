import { expect, it } from 'vitest';
import {
  beginnings,
  endOf,
  providerOf,
  sendBroken,
  sendWhole,
  spread,
} from '../../../agent/model-call/cut-recordings.ts';
import { serve } from '../../../models/support/loopback.ts';
import { allRecordings, wires } from '../../../models/support/recordings.ts';
import { newWorkspace } from '../../../support/cli.ts';

/** Four of chat completions, three of each other wire; those with words, so that there is something to withdraw. */
const ten = wires.flatMap((wire) =>
  spread(
    allRecordings().filter((one) => one.wire === wire && one.strict && one.expected.text !== ''),
    wire === 'openai-chat' ? 4 : 3,
  ),
);

it.each(ten)('detent run ends with $id cut behind three quarters as with all of it', async (recording) => {
  const parts = beginnings(recording);
  const beginning = parts[Math.floor(parts.length * 0.75)] ?? new Uint8Array();
  const asked = new Map<string, number>();
  const server = await serve(async (response, { body }) => {
    const { model } = JSON.parse(body) as { model: string };
    const before = asked.get(model) ?? 0;
    asked.set(model, before + 1);
    if (before === 0 && model.startsWith('cut')) await sendBroken(response, beginning, 'cut');
    else sendWhole(response, recording.bytes);
  });
  const workspace = await newWorkspace();
  const { api, baseUrl } = providerOf(recording, server.baseURL);
  const by = (model: string) => ['--model', `any/${model}`, '--base-url', baseUrl, '--api', api];
  // The conversation after the recorded answer is not part of the recording.
  const ask = ['run', 'go', '--max-steps', '1', '--max-retries', '1'];

  const whole = await workspace.json([...ask, ...by('whole')]);
  const cut = await workspace.json([...ask, ...by('cut')]);
  expect(endOf(cut.view)).toEqual(endOf(whole.view));
  expect(cut.code).toBe(whole.code);
  expect(cut.view.withdrawn).toHaveLength(1);
  expect(cut.view.usage.inputTokens).toBeGreaterThan(whole.view.usage.inputTokens);

  const quiet = [...ask, '--quiet'];
  const { stdout } = await workspace.detent([...quiet, ...by('whole-text')]);
  expect((await workspace.detent([...quiet, ...by('cut-text')])).stdout).toBe(stdout);
});
