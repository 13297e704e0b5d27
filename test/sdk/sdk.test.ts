import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent, DetentOptions } from '../../src/index.ts';
import {
  AnswerMessage,
  type Backend,
  ConfirmRequest,
  ContentPartMessage,
  DetentClient,
  DetentSdk,
  type Engine,
  overDetent,
  overGateway,
  QuestionAsked,
  Resolved,
  RunEnd,
  StaffMessage,
  StepBegin,
  TakeoverChanged,
  TokenUsageMessage,
  ToolCallMessage,
  ToolResult,
  ToolResultMessage,
  UserMessage,
  WireMessage,
} from '../../src/sdk/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { scripted, tool } from '../support/detent.ts';

/** Each place where runs happen, for the customer Bob. */
const places: { name: string; backendOf(detent: Detent): Promise<Backend> }[] = [
  {
    name: 'a gateway',
    async backendOf(detent) {
      const { url, token } = await serve(detent);
      return overGateway({ url, token: await token({ scopes: ['talk'], userId: 'bob' }) });
    },
  },
  { name: 'a Detent in the process', backendOf: async (detent) => overDetent(detent, { userId: 'bob' }) },
];

type Kind<T> = abstract new (...args: never) => T;

/** What a conversation says, and a way to wait for it. */
function heardOf(engine: Engine) {
  const messages: WireMessage[] = [];
  const waiting = new Set<() => void>();
  engine.addWireListener({
    onMessage(message) {
      messages.push(message);
      for (const wake of [...waiting]) wake();
    },
  });
  const until = async <T extends WireMessage>(kind: Kind<T>, fits: (one: T) => boolean = () => true) => {
    while (true) {
      for (const one of messages) if (one instanceof kind && fits(one)) return one;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
  const logged = () => messages.filter(({ seq }) => seq > 0);
  return { messages, until, logged };
}

/** Says something, and resolves with the code of its error when the run has ended. */
function said(engine: Engine, prompt: string, key?: string): Promise<string | null> {
  return new Promise((resolve) => {
    engine.run(
      prompt,
      {
        onComplete: () => resolve(null),
        onError: (error) => resolve(String(Object(error).code)),
      },
      key,
    );
  });
}

const pay = () => tool('pay', { sideEffect: 'unsafe', confirm: 'user', run: () => 'paid' });

describe.each(places)('an app over $name', ({ backendOf }) => {
  async function appOf(script: readonly ScriptLine[], options: DetentOptions = {}) {
    const { detent, model } = await scripted(script, options);
    const problems: unknown[] = [];
    const client = new DetentClient(await backendOf(detent), (error) => problems.push(error));
    onTestFinished(() => client.shutdown());
    const engine = client.createEngine({ model: 'shop' }, 'talk');
    return { detent, model, client, engine, problems, ...heardOf(engine) };
  }

  it('streams a run, approves a call, and ends it', async () => {
    const { engine, detent, until, messages, logged } = await appOf(
      [
        { text: 'I pay.', toolCalls: [{ name: 'pay', arguments: { order: 'A-17' } }] },
        { text: 'Paid, 你好 🙂.' },
      ],
      { tools: { define: [pay()] } },
    );
    expect([engine.name, engine.model, engine.sessionId]).toEqual(['', 'shop', 'talk']);
    const ended = said(engine, 'Pay.');
    const request = await until(ConfirmRequest);
    expect([request.toolName, request.arguments, request.decides]).toEqual([
      'pay',
      '{"order":"A-17"}',
      'user',
    ]);
    await engine.confirm(request, { verdict: 'approve' });
    expect(await ended).toBe(null);
    await expect(engine.confirm(request, { verdict: 'reject' })).rejects.toMatchObject({
      code: 'DECIDED_BEFORE',
    });
    const log = await detent.runs.timeline(request.runId);
    const place = ({ seq, index }: { seq: number; index: number }) => `${seq}/${index}`;
    expect(logged().map(place)).toEqual(log.map(place));
    const pieces = messages.flatMap((one) => (one instanceof ContentPartMessage ? one.content : []));
    expect(pieces.join('')).toBe('I pay.Paid, 你好 🙂.');
    expect(new Set(messages.map((one) => one.constructor))).toEqual(
      new Set([
        ...[WireMessage, UserMessage, StepBegin, ContentPartMessage, AnswerMessage, ToolCallMessage],
        ...[ConfirmRequest, Resolved, ToolResultMessage, TokenUsageMessage, RunEnd],
      ]),
    );
  });

  it('answers a question, and refuses what a person did not see', async () => {
    const asks = (question: string): ScriptLine => ({
      toolCalls: [{ name: 'ask_user', arguments: { question, options: ['S', 'M'] } }],
    });
    const { engine, until, messages } = await appOf([asks('Which size?'), { text: 'M it is.' }]);
    const ended = said(engine, 'A shirt.');
    const asked = await until(QuestionAsked);
    expect([asked.question, asked.options, asked.isMultiple, asked.fieldsOfForm]).toEqual([
      'Which size?',
      ['S', 'M'],
      false,
      [],
    ]);
    const another = new QuestionAsked({
      ...{ event: 'question.asked', runId: asked.runId, seq: 1, index: 0, at: 0, last: true },
      payload: { ...asked.payload, argumentsHash: 'x'.repeat(64) },
    } as ConstructorParameters<typeof QuestionAsked>[0]);
    await expect(engine.answer(another, 'S')).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
    await engine.answer(asked, 'M');
    expect(await ended).toBe(null);
    expect(messages.at(-1)).toBeInstanceOf(RunEnd);
  });

  it('performs tools of the app once, and gives the model their errors', async () => {
    const { client, engine, problems, messages } = await appOf([
      { toolCalls: [{ name: 'camera', arguments: { flash: true } }] },
      { toolCalls: [{ name: 'broken', arguments: {} }] },
      { text: 'Done.' },
    ]);
    const performed: string[] = [];
    client.registerTool({
      name: 'camera',
      description: 'Takes a photo.',
      schema: { type: 'object', properties: { flash: { type: 'boolean' } } },
      sideEffect: 'readonly',
      execute(args, { key }) {
        performed.push(`${key.split('/')[1]} ${args}`);
        return ToolResult.success('a fern');
      },
    });
    client.registerTool({
      name: 'broken',
      description: 'Fails.',
      sideEffect: 'readonly',
      execute() {
        throw new Error('no camera');
      },
    });
    // A second engine of the conversation hears of the same calls.
    heardOf(client.createEngine({}, 'talk'));
    expect(await said(engine, 'Photo.')).toBe(null);
    expect(performed).toEqual([expect.stringMatching(/^\S+ \{"flash":true\}$/)]);
    const results = messages.flatMap((one) =>
      one instanceof ToolResultMessage ? [[one.isError, one.result]] : [],
    );
    expect(results).toEqual([
      [false, 'a fern'],
      [true, 'no camera'],
    ]);
    expect(problems).toEqual([]);
  });

  it('gives the model an error where a tool of the app gave no result, and the developer a word', async () => {
    const { client, engine, problems, messages } = await appOf([
      { toolCalls: [{ name: 'text', arguments: {} }] },
      { toolCalls: [{ name: 'number', arguments: {} }] },
      { text: 'Done.' },
    ]);
    const given: Record<string, ToolResult> = JSON.parse(
      '{"text":"a fern","number":{"isSuccess":true,"content":7,"error":""}}',
    );
    for (const [name, result] of Object.entries(given)) {
      const execute = () => result;
      client.registerTool({ name, description: 'Gives no result.', sideEffect: 'readonly', execute });
    }
    expect(await said(engine, 'Photo.')).toBe(null);
    const results = messages.flatMap((one) => (one instanceof ToolResultMessage ? [one] : []));
    expect(
      results.map(({ isError, result }) => [isError, /"(\w+)" gave no ToolResult/.exec(result)?.[1]]),
    ).toEqual(Object.keys(given).map((name) => [true, name]));
    expect(problems).toHaveLength(2);
  });

  it('says things in order and each key once, forgets on request, and cancels', async () => {
    const { engine, detent, model, until } = await appOf(
      [
        { text: 'One.' },
        { text: 'Two.' },
        { text: 'Three.' },
        { toolCalls: [{ name: 'pay', arguments: {} }] },
        { error: { message: 'no', retryable: false } },
      ],
      { tools: { define: [pay()] } },
    );
    const all = ['first', 'second', 'second'].map((prompt) => said(engine, prompt, prompt));
    expect(await Promise.all(all)).toEqual([null, null, null]);
    const [run] = await detent.runs.list();
    const runs = await detent.runs.list({ sessionId: String(run?.sessionId) });
    expect(runs.map(({ prompt }) => prompt)).toEqual(['second', 'first']);
    await engine.clearHistory();
    expect(await said(engine, 'third')).toBe(null);
    const prompt = JSON.stringify(model.requests.at(-1)?.messages);
    expect([prompt.includes('third'), prompt.includes('second')]).toEqual([true, false]);
    const ended = said(engine, 'Pay.');
    const { runId } = await until(ConfirmRequest);
    await engine.cancel(runId, 'enough');
    expect(await ended).toBe('CANCELLED');
    expect(await said(engine, 'Fail.')).toMatch(/^[A-Z_]+$/);
  });

  it('shows who speaks when a person takes over and gives back, and takes a rating', async () => {
    const human = tool('transfer_to_human', {
      sideEffect: 'idempotent',
      run: async (_, { sessionId, idempotencyKey: key }) => {
        await app.detent.sessions.requestTakeover(sessionId, { reason: 'asks', summary: 'a refund', key });
        return 'asked';
      },
    });
    const app = await appOf(
      [
        { toolCalls: [{ name: 'transfer_to_human', arguments: {} }] },
        { text: 'A person comes.' },
        { text: 'Glad to help.' },
      ],
      { tools: { define: [human] } },
    );
    const { engine, detent, until, logged } = app;
    expect(await said(engine, 'A person, please')).toBe(null);
    // Nobody has said anything since: the app knows of the takeover all the same.
    await until(TakeoverChanged, ({ state }) => state === 'waiting');
    const [run] = await detent.runs.list();
    const session = String(run?.sessionId);
    await detent.sessions.takeOver(session, { by: 'dora' });
    await detent.sessions.say(session, 'I am Dora.', { by: 'dora' });
    expect((await until(StaffMessage)).content).toBe('I am Dora.');
    const thanked = said(engine, 'Thanks');
    await until(UserMessage, ({ content }) => content === 'Thanks');
    await detent.sessions.giveBack(session, { by: 'dora' });
    expect(await thanked).toBe(null);
    const { runId } = await until(RunEnd, ({ content }) => content === 'Glad to help.');
    await engine.rate(runId, 'up', 'quick');
    const shown = await detent.sessions.show(session);
    expect(shown.conversation.at(-1)).toMatchObject({ rating: { thumb: 'up', reason: 'quick' } });
    const places = logged().map(({ runId, seq, index }) => `${runId} ${seq}/${index}`);
    expect(places).toHaveLength(new Set(places).size);
  });

  it('is not held up by a listener that throws, and leaves the run alone when it is shut down', async () => {
    const { client, engine, detent, problems, until } = await appOf(
      [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }],
      { tools: { define: [pay()] } },
    );
    const bad = {
      onMessage() {
        throw new Error('no screen');
      },
    };
    engine.addWireListener(bad);
    const ended = said(engine, 'Pay.');
    const { runId } = await until(ConfirmRequest);
    engine.removeWireListener(bad);
    const count = problems.length;
    expect(count).toBeGreaterThan(0);
    client.destroyEngine(engine);
    expect(await ended).toBe('CLOSED');
    expect(await said(engine, 'More.')).toBe('CLOSED');
    expect((await detent.runs.show(runId)).status).toBe('waiting');
    expect(problems).toHaveLength(count);
    client.shutdown();
    expect(() => client.createEngine()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });
});

describe('the one client of an app', () => {
  it('is there between initialize and shutdown', async () => {
    const missing = expect.objectContaining({ code: 'NOT_INITIALIZED' });
    expect(() => DetentSdk.createEngine()).toThrow(missing);
    const { detent } = await scripted([{ text: 'Hello.' }]);
    DetentSdk.initialize(overDetent(detent));
    const engine = DetentSdk.createEngine({}, DetentSdk.newSession());
    expect(engine.sessionId).toMatch(/^app-.{20}/);
    expect(await said(engine, 'Hello!')).toBe(null);
    await DetentSdk.clearSession(engine.sessionId);
    DetentSdk.shutdown();
    DetentSdk.shutdown();
    expect(await said(engine, 'Hello!')).toBe('CLOSED');
    expect(() => DetentSdk.client()).toThrow(missing);
  });
});
