import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { conversations } from '../../src/core/conversations.ts';
import { createCore } from '../../src/core/index.ts';
import {
  AnswerMessage,
  type Backend,
  ConfirmRequest,
  ContentPartMessage,
  DetentClient,
  type Engine,
  overCore,
  overDetent,
  overGateway,
  RunEnd,
  ToolResult,
  ToolResultMessage,
  UserMessage,
  type WireMessage,
} from '../../src/sdk/index.ts';
import { type ScriptedModel, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { tool, withModel } from '../support/detent.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';

const pay = () => tool('pay', { sideEffect: 'unsafe', confirm: 'user', run: () => 'paid' });
const script: readonly ScriptLine[] = [
  { text: 'I look.', toolCalls: [{ name: 'camera', arguments: { flash: true } }] },
  { toolCalls: [{ name: 'pay', arguments: { order: 'A-17' } }] },
  { text: 'Paid, 你好 🙂.' },
  { text: 'You are welcome.' },
  { text: 'Who are you?' },
];

/** A core over a database on disk. */
function coreOn(file: string, model: ScriptedModel) {
  const core = createCore({
    host: { storage: openNodeSqlite(file) },
    models: { test: model },
    model: 'test/script',
    tools: { define: [pay()] },
    conversations,
  });
  onTestFinished(() => core.close());
  return core;
}

function fileOfApp(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detent-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'app.db');
}

const places: { name: string; open(model: ScriptedModel): Promise<Backend> }[] = [
  {
    name: 'a gateway',
    async open(model) {
      const { url, token } = await serve(withModel(model, { tools: { define: [pay()] } }));
      return overGateway({ url, token: await token({ scopes: ['talk'], userId: 'bob' }) });
    },
  },
  {
    name: 'a Detent in the process',
    open: async (model) => overDetent(withModel(model, { tools: { define: [pay()] } }), { userId: 'bob' }),
  },
  {
    name: 'a core over a database on disk',
    open: async (model) => overCore(coreOn(fileOfApp(), model), { userId: 'bob' }),
  },
];

/** Everything that an app would show, and what its model was asked. */
async function conversationAt(open: (typeof places)[number]['open']) {
  const model = scriptedModel(script);
  const client = new DetentClient(await open(model), (error) => shown.push(['problem', String(error)]));
  onTestFinished(() => client.shutdown());
  const shown: unknown[][] = [];
  client.registerTool({
    name: 'camera',
    description: 'Takes a photo.',
    schema: { type: 'object', properties: { flash: { type: 'boolean' } } },
    sideEffect: 'readonly',
    execute(args) {
      shown.push(['photo', args]);
      return ToolResult.success('a fern');
    },
  });
  const engine = client.createEngine({}, 'talk');
  engine.addWireListener({
    onMessage(message) {
      shown.push(...wordsOf(message));
      if (message instanceof ConfirmRequest)
        void engine.confirm(message, { verdict: 'approve' }).catch((error) => shown.push([String(error)]));
    },
  });
  const codes = [
    await said(engine, 'Pay.', 'first'),
    await said(engine, 'Pay.', 'first'),
    await said(engine, 'Thanks.', 'second'),
  ];
  const { runId } = ends.get(engine) ?? { runId: '' };
  await engine.rate(runId, 'up', 'quick');
  await engine.clearHistory();
  codes.push(await said(engine, 'Hello?', 'third'));
  const [last] = model.requests.slice(-1);
  return { shown, codes, lastPrompt: last?.messages.filter(({ role }) => role !== 'system') };
}

const ends = new WeakMap<Engine, RunEnd>();

/** Says something, and resolves with the code of its error when the run has ended. */
function said(engine: Engine, prompt: string, key: string): Promise<string | null> {
  return new Promise((resolve) => {
    engine.stream(
      prompt,
      {
        onNext: (message) => message instanceof RunEnd && ends.set(engine, message),
        onComplete: () => resolve(null),
        onError: (error) => resolve(String(Object(error).code)),
      },
      key,
    );
  });
}

/** What a screen shows of a message. Pieces of answers may be of any length. */
function wordsOf(message: WireMessage): unknown[][] {
  if (message instanceof ContentPartMessage) return [];
  if (message instanceof UserMessage) return [['user', message.content]];
  if (message instanceof AnswerMessage) return [['answer', message.content]];
  if (message instanceof ConfirmRequest) return [['asks', message.toolName, message.arguments]];
  if (message instanceof ToolResultMessage) return [['result', message.isError, message.result]];
  if (message instanceof RunEnd) return [['end', message.content]];
  return [];
}

describe('one conversation, by the SDK', () => {
  it('is the same over a gateway, over a Detent, and over a core', async () => {
    const [gateway, ...others] = await Promise.all(places.map(({ open }) => conversationAt(open)));
    expect(gateway?.codes).toEqual([null, null, null, null]);
    expect(gateway?.shown).toContainEqual(['photo', '{"flash":true}']);
    expect(gateway?.shown).toContainEqual(['asks', 'pay', '{"order":"A-17"}']);
    expect(gateway?.shown).toContainEqual(['end', 'Paid, 你好 🙂.']);
    expect(JSON.stringify(gateway?.lastPrompt)).not.toContain('Thanks.');
    for (const other of others) expect(other).toEqual(gateway);
  });

  it('goes on over the database of an app that was closed in the middle of it', async () => {
    const file = fileOfApp();
    const first = coreOn(file, scriptedModel(script.slice(1)));
    const before = new DetentClient(overCore(first, { userId: 'bob' }), () => {});
    const asked = new Promise<ConfirmRequest>((resolve) => {
      const engine = before.createEngine({}, 'talk');
      engine.addWireListener({ onMessage: (one) => one instanceof ConfirmRequest && resolve(one) });
      engine.run('Pay.', { onComplete() {}, onError() {} }, 'first');
    });
    const { runId, toolCallId, hash } = await asked;
    before.shutdown();
    await first.close();
    const model = scriptedModel(script.slice(2));
    const next = coreOn(file, model);
    expect(await next.runs.resume()).toEqual([runId]);
    await next.runs.confirm(runId, toolCallId, { verdict: 'approve', hash });
    expect((await next.runs.attach(runId).result).text).toBe('Paid, 你好 🙂.');
    const client = new DetentClient(overCore(next, { userId: 'bob' }), () => {});
    onTestFinished(() => client.shutdown());
    const engine = client.createEngine({}, 'talk');
    // The first request again: it was answered.
    expect(await said(engine, 'Pay.', 'first')).toBe(null);
    expect(await said(engine, 'Thanks.', 'second')).toBe(null);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('A-17');
  });

  it('needs a core with conversations', () => {
    const { storage } = { storage: openNodeSqlite(':memory:') };
    const core = createCore({ host: { storage }, models: { test: scriptedModel([]) } });
    onTestFinished(() => core.close());
    expect(() => overCore(core)).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT' }));
    const specs = [{ name: 'camera', description: '', parameters: { type: 'object', properties: {} } }];
    const run = core.run('Photo.', { model: 'test/script', clientTools: specs });
    return expect(run.result).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
