import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent, DetentOptions, RunView } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { type FakeClock, fakeClock, type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';
import { answering, mockProvider } from '../../support/cli.ts';
import { itDeep } from '../../support/deep.ts';
import { modelOptions, temporaryWorkspace } from '../../support/detent.ts';
import type { MockAnswer } from '../../support/mock-provider.ts';

const down: ScriptedAnswer = {
  error: { kind: 'server', code: 'MODEL_SERVER', message: 'down', retryable: true },
};
const ok: ScriptedAnswer = { text: 'ok' };
const call: ScriptedAnswer = { toolCalls: [{ name: 'datetime', arguments: {} }] };

/** A Detent on a clock that stands still. */
function open(options: DetentOptions) {
  const clock = fakeClock();
  const detent = createDetent(modelOptions(scriptedModel([]), { clock, ...options }));
  onTestFinished(() => detent.close());
  return { clock, detent };
}

/** Moves time on until a run has ended; says how long it waited before each attempt, by the log. */
async function passing({ clock, detent }: { clock: FakeClock; detent: Detent }, result: Promise<RunView>) {
  let view: RunView | undefined;
  void result.then((ended) => {
    view = ended;
  });
  while (!view) await clock.advance(1_000);
  const events = await detent.runs.events(view.runId);
  const waits = events.flatMap(({ event, at }, i) => {
    const next = events[i + 1];
    return event.type === 'model.failed' && next ? [[Number(event.delayMs), next.at - at]] : [];
  });
  return { view, waits };
}

describe('models that take turns', () => {
  it('each begin as many runs, and the steps of a run go round', async () => {
    const lines = Array.from({ length: 20 }, () => ok);
    const [a, b] = [scriptedModel(lines), scriptedModel(lines)];
    const { detent } = open({
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a, b },
      router: { strategy: 'roundRobin' },
    });
    for (let i = 0; i < 10; i++) await detent.run('hi').result;
    expect([a.requests.length, b.requests.length]).toEqual([5, 5]);
  });

  it('go round in the steps of one run, too', async () => {
    const [a, b] = [scriptedModel([call, call, ok]), scriptedModel([call, call, ok])];
    const { detent } = open({
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a, b },
      router: { strategy: 'roundRobin' },
    });
    const view = await detent.run('hi').result;
    expect(view.status).toBe('done');
    expect(Math.abs(a.requests.length - b.requests.length)).toBe(1);
    expect(a.requests.length + b.requests.length).toBe(5);
  });

  it('are each other’s fallback', async () => {
    const [a, b] = [scriptedModel([down, down, down]), scriptedModel([ok, ok, ok])];
    const { detent } = open({
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a, b },
      router: { strategy: 'roundRobin' },
    });
    for (let i = 0; i < 3; i++) expect((await detent.run('hi').result).text).toBe('ok');
    expect(b.requests).toHaveLength(3);
  });
});

describe('the error of a run none of whose models answers', () => {
  it('names what failed in that call, not what was passed over in steps before', async () => {
    const refused: ScriptedAnswer = {
      error: { kind: 'auth', code: 'MODEL_AUTH', message: 'wrong key', retryable: false },
    };
    const [a, b] = [scriptedModel([down, down]), scriptedModel([call, refused])];
    const { detent } = open({ model: 'a/m', fallbacks: ['b/m'], models: { a, b } });
    const { error, switches } = await detent.run('hi').result;
    expect(switches).toHaveLength(2);
    expect(error).toEqual({
      code: 'ALL_MODELS_FAILED',
      message: 'none of the 2 models answered: (1) a/m: MODEL_SERVER: down (2) b/m: MODEL_AUTH: wrong key',
      retryable: false,
    });
  });
});

describe('a provider over HTTP', () => {
  async function over(answers: MockAnswer[], options: DetentOptions = {}) {
    const provider = await answering(...answers);
    const models = { mock: { baseUrl: provider.baseUrl } };
    return { provider, ...open({ model: 'mock/m', models, ...options }) };
  }

  it('that limits the rate is asked again when it says so, and not before', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' } };
    const made = await over([busy, { text: 'at last' }]);
    const { view, waits } = await passing(made, made.detent.run('hi').result);
    expect({ text: view.text, waits }).toEqual({ text: 'at last', waits: [[7_000, 7_000]] });
    expect(made.provider.requests).toHaveLength(2);
  });

  itDeep('is waited for a minute in all, however often it asks for more', async () => {
    const busy = { status: 429, headers: { 'retry-after': '25' } };
    const made = await over([busy, busy, busy, { text: 'too late' }]);
    const { view, waits } = await passing(made, made.detent.run('hi').result);
    expect(view.error?.code).toBe('MODEL_RATE_LIMIT');
    expect(view.error?.message).toContain(
      'It asks for a wait of 25 s, but one model call waits 60 s in all, and 50 s of them are used up.',
    );
    expect(made.provider.requests).toHaveLength(3);
    expect(waits).toEqual([
      [25_000, 25_000],
      [25_000, 25_000],
    ]);
  });

  it('that keeps failing is left alone by all runs, then tried by one', async () => {
    const answers: MockAnswer[] = [...Array(5).fill({ status: 500 }), { text: 'well again' }];
    const { provider, clock, detent } = await over(answers, { limits: { maxRetries: 0 } });
    for (let i = 0; i < 5; i++) expect((await detent.run('hi').result).error?.code).toBe('MODEL_SERVER');
    const refused = await detent.run('hi').result;
    expect(refused.error).toMatchObject({ code: 'MODEL_CIRCUIT_OPEN' });
    expect(refused.error?.message).toContain('mock/m failed 5 times in a row');
    expect(provider.requests).toHaveLength(5);
    await clock.advance(30_000);
    expect((await detent.run('hi').result).text).toBe('well again');
  });

  it('that is left alone is waited for by a run that has no other', async () => {
    const answers: MockAnswer[] = [{ status: 500 }, { text: 'well again' }];
    const router = { breaker: { failures: 1, openMs: 20_000 } };
    const made = await over(answers, { router, limits: { maxRetries: 2 } });
    const { view, waits } = await passing(made, made.detent.run('hi').result);
    expect(view.text).toBe('well again');
    expect(waits).toHaveLength(2);
    expect(waits.reduce((sum, [, waited = 0]) => sum + waited, 0)).toBeGreaterThanOrEqual(20_000);
  });

  it('that is left alone is passed over at once by a run that has another', async () => {
    const ill = await mockProvider({ sequence: [{ status: 500 }, { status: 500 }] });
    const well = await mockProvider({ sequence: Array(4).fill({ text: 'from the other' }) });
    const { detent } = open({
      model: 'ill/m',
      fallbacks: ['well/m'],
      models: { ill: { baseUrl: ill.baseUrl }, well: { baseUrl: well.baseUrl } },
      router: { breaker: { failures: 2 } },
    });
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) codes.push((await detent.run('hi').result).switches?.[0]?.error.code);
    expect(codes).toEqual(['MODEL_SERVER', 'MODEL_SERVER', 'MODEL_CIRCUIT_OPEN', 'MODEL_CIRCUIT_OPEN']);
    expect([ill.requests.length, well.requests.length]).toEqual([2, 4]);
    const { groups } = await detent.usage({ by: 'model' });
    expect(Object.fromEntries(groups.map(({ key, calls }) => [key, calls]))).toEqual({
      'ill/m': 2,
      'well/m': 4,
    });
  });
});

describe('a run whose driver stops between two of its models', () => {
  it('goes on with the second in the next process, and asks the first no more', async () => {
    const workspace = await temporaryWorkspace();
    const a = await mockProvider({ sequence: [{ status: 500 }] });
    const b = await mockProvider({ sequence: [{ instead: 'hang' }, { text: 'from b' }] });
    const options: DetentOptions = {
      workspace,
      env: {},
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a: { baseUrl: a.baseUrl }, b: { baseUrl: b.baseUrl } },
    };
    const first = createDetent(options);
    const handle = first.run('hi', { sessionId: 's' });
    void handle.result.catch(() => {});
    await b.arrived(1);
    await first.close();
    const second = createDetent(options);
    onTestFinished(() => second.close());
    await second.runs.resume({ runId: handle.runId });
    const view = await second.runs.attach(handle.runId).result;
    expect(view).toMatchObject({ status: 'done', text: 'from b' });
    expect([a.requests.length, b.requests.length]).toEqual([1, 2]);
  });
});

describe('a limit in money', () => {
  it('needs the price of every model that the run may go on with', async () => {
    const price = { inputUsd: 1, outputUsd: 1 };
    const { detent } = open({
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a: { ...scriptedModel([]), price }, b: scriptedModel([]) },
      limits: { maxCostUsd: 1 },
    });
    await expect(detent.run('hi').result).rejects.toMatchObject({
      code: 'PRICE_MISSING',
      details: { model: 'b/m' },
    });
  });
});

describe('a fork to another model', () => {
  it('has that model alone', async () => {
    const [a, b] = [scriptedModel([ok, down]), scriptedModel([ok])];
    const { detent } = open({
      model: 'a/m',
      fallbacks: ['b/m'],
      models: { a, b, c: a },
      limits: { maxRetries: 0 },
    });
    const { runId } = await detent.run('hi').result;
    const fork = await detent.runs.fork(runId, { at: 1, model: 'c/m' });
    await detent.runs.resume({ runId: fork.runId });
    const view = await detent.runs.attach(fork.runId).result;
    expect(view.error?.code).toBe('MODEL_SERVER');
    expect(b.requests).toHaveLength(0);
  });
});
