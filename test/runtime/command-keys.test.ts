import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool } from '../support/detent.ts';

const key = { idempotencyKey: 'k1' };
const typesOf = (log: readonly { event: { type: string } }[], type: string) =>
  log.filter(({ event }) => event.type === type);

describe('a command to a run with a key', () => {
  it('is a message once, also after the run has ended', async () => {
    const { pass, reached, open } = gate();
    const hold = tool('hold', { run: (_args, { signal }) => pass(signal).then(() => 'ok') });
    const { detent } = await scripted([{ toolCalls: [{ name: 'hold' }] }, { text: 'heard' }], {
      tools: { define: [hold] },
    });
    const run = detent.run('go');
    await reached;
    const say = () => detent.runs.steer(run.runId, 'more', undefined, key);
    await Promise.all([say(), say(), say()]);
    open();
    await run.result;
    await say();
    expect(typesOf(await detent.runs.events(run.runId), 'run.message')).toHaveLength(1);
    await expect(detent.runs.steer(run.runId, 'more')).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('is delivered once by the process that drives the run', async () => {
    const workspace = await temporaryWorkspace();
    const { pass, reached, open } = gate();
    onTestFinished(open);
    const hold = tool('hold', { run: (_args, { signal }) => pass(signal).then(() => 'ok') });
    const at = () => {
      const test = scriptedModel([{ toolCalls: [{ name: 'hold' }] }, { text: 'heard' }]);
      const options = { workspace, env: {}, model: 'test/m', models: { test } };
      const detent = createDetent({ ...options, tools: { define: [hold] } });
      onTestFinished(() => detent.close());
      return detent;
    };
    const [driver, other] = [at(), at()];
    const run = driver.run('go');
    await reached;
    await Promise.all([1, 2, 3].map(() => other.runs.steer(run.runId, 'more', undefined, key)));
    open();
    await run.result;
    expect(typesOf(await other.runs.events(run.runId), 'run.message')).toHaveLength(1);
  });
});
