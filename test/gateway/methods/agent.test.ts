import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { agentPerformers } from '../../../src/gateway/methods/agent.ts';
import type { Call } from '../../../src/gateway/methods/method.ts';
import { scripted } from '../../support/detent.ts';

const wait = agentPerformers['agent.wait'];

it('a wait that is over keeps nothing until its time would be up', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { detent } = await scripted([{ text: 'done' }]);
  // Tests of gateways that this process had before check that answers fit.
  const view = await detent.run('go').result;
  const runs = {
    attach: () => ({ result: Promise.resolve() }),
    show: async () => view,
    allowed: async () => [],
  };
  const { signal } = new AbortController();
  const waiting: Call['waiting'] = (wait) => wait(signal);
  const waitedFor: Call['waitedFor'] = (_, wait) => wait();
  const call = { detent: { runs }, caller: { tenantId: 1 }, waiting, waitedFor };
  const waitOften = async (times: number) => {
    for (let i = 0; i < times; i++)
      await wait(call as unknown as Call, { runId: 'run_1', timeoutMs: 60_000 });
    collect();
    return process.memoryUsage().heapUsed;
  };
  const bytesEach = async () => {
    const before = await waitOften(100);
    return ((await waitOften(1_000)) - before) / 1_000;
  };
  // What other tests of this process have begun may fill the heap meanwhile, but not each time.
  expect(Math.min(await bytesEach(), await bytesEach(), await bytesEach())).toBeLessThan(500);
});
