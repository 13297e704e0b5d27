import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { inSizes } from '../support/size.ts';
import { served } from './support.ts';

const requests = inSizes({ usual: 300, deep: 1_000, full: 10_000 });
const sockets = inSizes({ usual: 50, deep: 100, full: 500 });

it(`${requests} requests at once with one key make one run`, async () => {
  const limits = { requestsPerMinute: 1e9, maxConnections: 1e6 };
  const { url, detent, token } = await served([{ text: 'once' }], {}, { limits });
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  onTestFinished(() => agent.destroy());
  const headers = {
    authorization: `Bearer ${await token()}`,
    'content-type': 'application/json',
    'idempotency-key': 'order 1',
  };
  const post = () =>
    new Promise<{ status: number | undefined; runId: string }>((resolve, reject) => {
      const asked = request(`${url}/api/v1/runs`, { method: 'POST', headers, agent }, async (response) => {
        resolve({ status: response.statusCode, runId: JSON.parse(await text(response)).runId });
      });
      asked.on('error', reject).end('{"prompt":"pay"}');
    });
  const answers = await Promise.all(Array.from({ length: requests }, post));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
  expect(await detent.runs.list()).toHaveLength(1);
});
