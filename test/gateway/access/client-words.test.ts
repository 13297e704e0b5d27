import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { inClientWords, refusalInClientWords } from '../../../src/gateway/access/client-words.ts';
import { sentences } from '../../../src/gateway/access/sentences.ts';
import { DetentError } from '../../../src/protocol/error.ts';
import type { ScriptedAnswer } from '../../../src/testing/index.ts';
import { ask, workflow } from '../../../src/workflow/index.ts';
import { tool } from '../../support/detent.ts';
import { served } from '../support.ts';

const details = [
  'http://10.1.2.3:11434/v1 failed',
  'set OPENAI_API_KEY',
  'see "detent runs why run_1"',
  'give another --base-url',
  'cannot open /srv/shop/data.db',
  'cannot open C:\\shop\\data.db',
  'cannot read detent.config.yaml',
  'localhost refused',
  'db.internal:5432 refused',
];
const operators =
  /https?:|\/srv|\/tmp|C:\\|detent [a-z]|--[a-z]|localhost|10\.1\.2\.3|_API_KEY|_URL|db\.internal|\.yaml|\.db\b/;
const failing = (message: string): ScriptedAnswer => ({
  error: { kind: 'network', code: 'MODEL_NETWORK', message, retryable: false },
});
type RunOfClient = { pending: object[]; allowed: object[] };
const customer = ['read', 'write', 'approve'] as const;

/** Every code that a program of Detent can give an error. */
async function codes(): Promise<string[]> {
  const found = new Set(['CODE_OF_A_HOST']);
  for await (const file of glob(['src/**/*.ts', 'machines/*.ts']))
    for (const [, code = ''] of readFileSync(file, 'utf8').matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g))
      found.add(code);
  return [...found];
}

describe('an error, to a client without the scope admin', () => {
  it('names nothing of the host, whatever its code and message', async () => {
    const all = await codes();
    expect(all.length).toBeGreaterThan(250);
    for (const code of all)
      for (const message of details) {
        const error = { code, message, retryable: true, details: { field: message, path: message } };
        const { code: same, ...said } = refusalInClientWords(error);
        expect(same).toBe(code);
        expect(JSON.stringify(said), code).not.toMatch(operators);
      }
  });

  it('has a sentence in place of words that are not known to be harmless', () => {
    const said = { code: 'HOST_SAYS', message: 'account org-17 has no credit', retryable: false };
    expect(inClientWords(said)).toEqual({ ...said, message: 'this failed' });
    for (const sentence of Object.values(sentences)) expect(sentence).not.toMatch(operators);
  });

  it('has a sentence, and beside it what its developer needs', () => {
    const error = { code: 'INVALID_REQUEST', message: 'agent.run: "prompt": too short', retryable: false };
    const problems = [{ field: 'prompt', message: 'too short' }];
    const said = { ...error, message: 'the request is not valid' };
    expect(refusalInClientWords({ ...error, details: { problems } })).toEqual({
      ...said,
      details: { problems },
    });
    expect(refusalInClientWords(error).details).toEqual({
      problems: [{ field: '', message: error.message }],
    });
  });

  it.each(['OWN_REQUEST', 'FORBIDDEN'])('names no scope and no rule of the policy for %s', (code) => {
    const message = 'needs the scope approve, because the policy names "pay" in "fourEyes"';
    const said = refusalInClientWords({ code, message, retryable: false });
    expect(said.message).not.toMatch(/scope|policy|fourEyes|token/);
  });
});

describe('a run that failed at its provider', () => {
  for (const message of details)
    it(`says so to a customer by its code, and not that ${message}`, async () => {
      const script = Array.from({ length: 5 }, () => failing(message));
      const { detent, token, http, url, connect } = await served(script);
      const [ada, operator] = [await token({ scopes: customer, userId: 'ada' }), await token()];
      const { runId, sessionId } = await detent.runs.attach(
        await detent.run('hi', { principal: { tenantId: 1, userId: 'ada' } }).started,
      ).result;
      const paths = ['', '/wait', '/timeline', '/log', '/trace', '/why', '/at/2', `/diff/${runId}`];
      const doors = [
        ...paths.map((path) => `/api/v1/runs/${runId}${path}`),
        ...['/api/v1/runs', '/api/v1/sessions', `/api/v1/sessions/${sessionId}`],
      ];
      for (const path of doors) {
        const read = JSON.stringify((await http(path, { token: ada })).body);
        expect(read, path).not.toMatch(operators);
      }
      const next = async (token: string) =>
        JSON.stringify((await http(`/api/v1/runs/${runId}/why`, { token })).body.next);
      expect(await next(operator)).toContain('"command":"detent run');
      // What the page offers in place of the command.
      expect(await next(ada)).toContain('"step":{"does":');
      const stream = await fetch(`${url}/api/v1/runs/${runId}/events`, {
        headers: { authorization: `Bearer ${ada}` },
      });
      const events = await stream.text();
      expect(events).toContain(
        '"code":"MODEL_NETWORK","message":"the model cannot be reached; try again later"',
      );
      expect(events).not.toMatch(operators);
      const socket = await connect(ada);
      await socket.request('run.subscribe', { runId });
      await socket.saw(({ event }) => event === 'lifecycle.error');
      expect(JSON.stringify(socket.events)).not.toMatch(operators);
      for (const stream of [true, false])
        for (const [path, body] of [
          ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
          ['/v1/responses', { input: 'hi' }],
        ] as const) {
          const { body: answer } = await http(path, {
            ...{ method: 'POST', token: ada, body: { model: 'default', stream, ...body } },
          });
          expect(JSON.stringify(answer), path).toContain('the model cannot be reached');
          expect(JSON.stringify(answer), path).not.toMatch(operators);
        }
      const { body } = await http(`/api/v1/runs/${runId}`, { token: operator });
      expect(body.error).toMatchObject({ code: 'MODEL_NETWORK', message });
    });
});

describe('a refusal', () => {
  it('tells a customer no command, and the operator and the log all of it', async () => {
    const told: unknown[] = [];
    const detail = 'no key: set SHOP_API_KEY in /srv/shop/.env, see "detent doctor"';
    const tools = { define: [tool('pay', { confirm: true })] };
    const { token, http, connect, detent } = await served([], { tools }, { onError: (e) => told.push(e) });
    detent.runs.list = () => Promise.reject(new DetentError('MISSING_KEY', detail));
    const ada = await token({ scopes: customer });
    const refused = await http('/api/v1/runs', { token: ada });
    expect(refused.body).toMatchObject({ code: 'MISSING_KEY', detail: 'the agent is not set up correctly' });
    expect(told).toEqual([expect.objectContaining({ message: detail })]);
    expect((await http('/api/v1/runs')).body.detail).toBe(detail);
    const frame = await (await connect(ada)).request('run.list', {});
    expect(JSON.stringify(frame)).not.toMatch(operators);
    for (const path of ['/api/v1/runs', '/v1/models'])
      expect(JSON.stringify((await http(path, { token: null })).body)).not.toMatch(operators);
  });
});

describe('a call that asks', () => {
  it('reads a question that looks like a sentence of why as it was asked', async () => {
    const question = 'c2 is waiting for a decision: tool default: pay asks (1 s, since noon)';
    const script: ScriptedAnswer[] = [{ toolCalls: [{ name: 'ask_user', arguments: { question } }] }];
    const { detent, token, http } = await served(script, { tools: { allowed: ['ask_user'] } });
    const ada = await token({ scopes: ['read', 'write'], userId: 'ada' });
    const { runId } = await detent.run('ask', { principal: { tenantId: 1, userId: 'ada' } }).result;
    const { body } = await http(`/api/v1/runs/${runId}/why`, { token: ada });
    expect(JSON.stringify(body.details)).toContain(JSON.stringify(JSON.stringify(question)).slice(1, -1));
  });

  it('names the rule of the policy to the operator alone, wherever it is read', async () => {
    const script: ScriptedAnswer[] = [{ toolCalls: [{ name: 'pay', arguments: { n: 1 } }] }];
    const tools = { define: [tool('pay', { confirm: true })] };
    const { detent, token, http, url } = await served(script, { tools });
    const ada = await token({ scopes: ['read', 'write'], userId: 'ada' });
    const { runId } = await detent.run('pay', { principal: { tenantId: 1, userId: 'ada' } }).result;
    const paths = ['', '/wait', '/timeline', '/log', '/trace', '/why', '/at/2'];
    for (const path of [...paths.map((one) => `/runs/${runId}${one}`), '/runs', '/tools', '/sessions']) {
      const { status, body } = await http(`/api/v1${path}`, { token: ada });
      expect([path, status, /tool default/.test(JSON.stringify(body))]).toEqual([path, 200, false]);
    }
    const asked = (await http(`/api/v1/runs/${runId}`, { token: ada })).body as unknown as RunOfClient;
    expect(asked.pending).toMatchObject([
      { why: 'the rules of this service say so', reason: { code: 'service_rules', params: {} } },
    ]);
    const told = (await http(`/api/v1/runs/${runId}/why`, { token: ada })).body;
    expect(told.details).toContainEqual(
      expect.stringMatching(/^c2 is waiting for a decision: the rules of this service say so \(/),
    );
    const why = { code: 'service_rules', params: {} };
    expect(told.sentences).toMatchObject({
      details: expect.arrayContaining([
        { code: 'waits_for_decision', params: expect.objectContaining({ call: 'c2', why }) },
      ]),
    });
    expect(asked.allowed).toEqual([{ type: 'run.message' }, { type: 'run.cancel' }]);
    expect(JSON.stringify((await http(`/api/v1/runs/${runId}`)).body)).toContain('tool default: pay');
    await detent.runs.cancel(runId);
    const stream = await fetch(`${url}/api/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${ada}` },
    });
    expect(await stream.text()).not.toContain('tool default');
  });
});

describe('a question of a chart that begins like a rule', () => {
  it('reaches a customer as it was asked', async () => {
    const question = 'configuration: shall the new one be used?';
    const use = ask({ question: () => question });
    const chart = setup({ actors: { use } }).createMachine({
      id: 'change',
      initial: 'asking',
      states: { asking: { invoke: { id: 'use', src: 'use', onDone: 'over' } }, over: { type: 'final' } },
    });
    const { detent, token, http, url } = await served([], { workflows: [workflow(chart)] });
    const ada = await token({ scopes: customer, userId: 'ada' });
    const principal = { tenantId: 1, userId: 'ada' };
    const run = detent.workflows.start('change', null, { principal });
    const { runId } = (await run.result) as unknown as { runId: string };
    for (const path of [runId, `${runId}.c1`, `${runId}.c1/timeline`]) {
      const read = JSON.stringify((await http(`/api/v1/runs/${path}`, { token: ada })).body);
      expect(read, path).toContain(question);
      expect(read, path).not.toContain('the rules of this service');
    }
    const headers = { authorization: `Bearer ${ada}` };
    const stream = await fetch(`${url}/api/v1/runs/${runId}.c1/events`, { headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let events = '';
    while (!events.includes('tool.confirm_request')) events += (await reader?.read())?.value;
    await reader?.cancel();
    expect(events).toContain(question);
    expect(events).not.toContain('the rules of this service');
  });
});
