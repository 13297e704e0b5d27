import { expect, it } from 'vitest';
import { postWebhook } from '../../src/schedule/deliver/webhook.ts';
import { scheduleDoor } from '../../src/schedule/door.ts';
import { Egress } from '../../src/tools/http/egress.ts';
import { asked } from '../schedule/deliver/support.ts';
import { served } from './support.ts';

/** What every plain object seems to have. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

it.each(names)('is a name like any other: %s', async (name) => {
  const { connect } = await served([]);
  const client = await connect();
  const codeOf = async (method: string, input: object) => {
    const { error } = (await client.request(method, input)) as { error?: { code: string } };
    return error?.code ?? 'none';
  };
  const run = (fields: object) => codeOf('agent.run', { prompt: 'hi', subscribe: false, ...fields });
  expect(await run({ agent: name })).toBe('UNKNOWN_AGENT');
  expect(await run({ budget: name })).toBe('UNKNOWN_BUDGET');
  expect(await run({ model: `${name}/x` })).toBe('UNKNOWN_MODEL');
  expect(await run({ tools: [`@${name}`] })).toBe('UNKNOWN_TOOLSET');
  // A schema drops `__proto__`, and refuses the others.
  expect(await run({ limits: JSON.parse(`{"${name}": 1}`) })).toMatch(/^(?:none$|INVALID_)/);
  expect(await codeOf('workflow.get', { workflow: name })).toBe('UNKNOWN_WORKFLOW');
  expect(await codeOf('skill.get', { name })).toMatch(/^(?:UNKNOWN_SKILL|NOT_FOUND)$/);
  expect(await codeOf('cron.get', { jobId: name })).toBe('NO_JOB');
  expect(await codeOf('machine.get', { name })).not.toMatch(/INTERNAL|none/);
  expect(await codeOf(name, {})).toBe('UNKNOWN_METHOD');
  const metadata = JSON.parse(`{"${name}": "x"}`);
  expect(['none', 'INVALID_REQUEST']).toContain(await run({ metadata }));
});

it.each(names)('is no secret of a webhook: %s', async (name) => {
  const { detent } = await served([]);
  const { env, addSecrets } = await detent[scheduleDoor].open();
  const webhooks = { egress: new Egress({ allow: ['127.0.0.1'] }), timeoutMs: 1_000 };
  const target = { kind: 'webhook', url: 'http://127.0.0.1:1/', secretEnv: name } as const;
  const posted = postWebhook({ webhooks, env, addSecrets, now: Date.now }, target, asked());
  await expect(posted).rejects.toMatchObject({ code: 'WEBHOOK_SECRET_MISSING' });
});
