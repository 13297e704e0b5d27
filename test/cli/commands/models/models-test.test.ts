import { describe, expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../../../support/cli.ts';

interface Trial {
  ok: boolean;
  problem: { kind: string; message: string } | null;
  firstPieceMs: number | null;
  totalMs: number;
  usage: { inputTokens: number } | null;
  finishReason: string | null;
}
interface Trials {
  models: {
    model: string;
    ok: boolean;
    problem: Trial['problem'];
    text: Trial | null;
    tools: Trial | null;
  }[];
}

const key = 'sk-live-0123456789abcdef';
const hello = { text: ['hel', 'lo'] };
const calculate = { calls: [{ name: 'calculator', arguments: { expression: '17 * 23' }, id: '' }] };
const product = { text: 'It is 391.' };

function configOf(models: object): Record<string, string> {
  return { 'detent.config.json': JSON.stringify({ models }) };
}

describe.concurrent('detent models test', () => {
  it('passes with the demo, which is the default without a key', async () => {
    const workspace = await newWorkspace();
    const { code, stdout, stderr } = await workspace.detent(['models', 'test']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^model +text +tools +first piece +usage +ends with$/m);
    expect(stdout).toMatch(/^demo\/demo +ok +ok +\d+ ms +\d+ in, \d+ out +stop$/m);
    expect(stderr).toContain('a few hundred tokens');
  });

  it('asks for a streamed word and for a call, and sends the result of the call back', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(hello, calculate, product);
    const args = ['models', 'test', 'mock/m', ...by(provider).slice(2)];
    const { code, view } = await workspace.json<Trials>(args);
    expect(code).toBe(0);
    const [trial] = view.models;
    expect(trial).toMatchObject({ model: 'mock/m', ok: true, problem: null });
    expect(trial?.text).toMatchObject({ ok: true, finishReason: 'stop', usage: { inputTokens: 10 } });
    expect(trial?.text?.firstPieceMs).toBeLessThanOrEqual(trial?.text?.totalMs ?? 0);
    expect(trial?.tools).toMatchObject({ ok: true, finishReason: 'stop' });
    const [first, second, third] = provider.requests.map(({ body }) => body);
    expect([first?.stream, first?.tools]).toEqual([true, undefined]);
    expect(second?.tools).toMatchObject([{ function: { name: 'calculator' } }]);
    expect(third?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_0' }] },
      { role: 'tool', tool_call_id: 'call_0', content: '391' },
    ]);
  });

  it('with --all asks the models of the configuration and of set keys, and fails when one fails', async () => {
    const good = await answering(hello, calculate, product);
    const refusing = { status: 401, body: { error: { message: `Incorrect API key: ${key}` } } };
    const bad = await answering(refusing);
    const workspace = await newWorkspace(
      configOf({
        house: { baseUrl: good.baseUrl, models: { large: {}, '*': {} } },
        openai: { baseUrl: bad.baseUrl },
        mistral: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'UNSET' },
      }),
    );
    const env = { OPENAI_API_KEY: key };
    const { code, view, stdout } = await workspace.json<Trials>(['models', 'test', '--all'], { env });
    expect(code).toBe(1);
    expect(view.models.map(({ model, ok, text }) => [model, ok, text?.problem?.kind])).toEqual([
      ['house/large', true, undefined],
      ['openai/gpt-5-mini', false, 'auth'],
      ['mistral/mistral-medium-latest', false, undefined],
    ]);
    expect(view.models[2]?.problem?.kind).toBe('MISSING_KEY');
    expect(stdout).not.toContain(key);
  });

  it.each([
    [[{ status: 404, body: { error: { message: 'no such model' } } }], 'not_found', 'not tried', /\/v1/],
    [[{ text: 'hi' }, { text: '391, I think' }], 'no_tool_call', 'failed: no_tool_call', /tools/],
    [[{ text: 'hi' }, calculate, { status: 400 }], 'bad_request', 'failed: bad_request', /quirks/],
    [[{ text: '' }, calculate, product], 'empty', 'ok', /maxOutputTokens/],
    [[{ text: 'hi', finish: 'length' }], 'ended_early', 'not tried', /maxOutputTokens/],
  ])('says what went wrong and what to do: %j', async (answers, kind, tools, hint) => {
    const workspace = await newWorkspace();
    const provider = await answering(...answers);
    const { code, stdout } = await workspace.detent(['models', 'test', 'mock/m', ...by(provider).slice(2)]);
    expect(code).toBe(1);
    expect(stdout).toContain(kind);
    expect(stdout).toContain(tools);
    expect(stdout).toMatch(hint);
  });

  it('gives up on a silent server, and says that nothing answers where none is', async () => {
    const workspace = await newWorkspace();
    const silent = await answering({ instead: 'hang' });
    const args = ['models', 'test', 'mock/m', '--timeout', '300ms', ...by(silent).slice(2)];
    const { code, view } = await workspace.json<Trials>(args);
    expect([code, view.models[0]?.text?.problem]).toEqual([
      1,
      { kind: 'timeout', message: 'no answer within 0.3 s' },
    ]);
    const nobody = await workspace.json<Trials>([
      ...['models', 'test', 'a/m', 'nosuch/m', '--base-url', 'http://127.0.0.1:9/v1'],
    ]);
    expect(nobody.view.models.map(({ text }) => text?.problem?.kind)).toEqual(['network', 'network']);
  });
});
