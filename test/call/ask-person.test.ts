import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions, QuestionView } from '../../src/index.ts';
import type { PersonAnswer, SideEffect, Tool, ToolContext } from '../../src/protocol/tool.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, modelOptions, scripted, temporaryWorkspace, tool } from '../support/detent.ts';

const colour: QuestionView = { text: 'Which colour?', options: ['red', 'blue'] };
const size: QuestionView = { text: 'Which size?' };

type Work = (ask: (question: QuestionView) => Promise<PersonAnswer>, ctx: ToolContext) => unknown;

/** A tool that asks a person while it is at work. */
function asking(
  work: Work,
  { name = 'paint', ...over }: Partial<Parameters<typeof tool>[1]> & { name?: string } = {},
) {
  return tool(name, {
    confirm: false,
    run: (_, ctx) => work((question) => ctx.ask?.(question) ?? Promise.reject(new Error('nobody')), ctx),
    ...over,
  });
}

/** A run whose tool has asked. */
async function asked(define: Tool[], options: DetentOptions = {}, calls = [{ name: 'paint' }]) {
  const script = [{ toolCalls: calls }, { text: 'thanks' }, { text: 'again' }];
  const { detent, model } = await scripted(script, { ...options, tools: { define } });
  const run = detent.run('paint');
  const view = await run.result;
  return {
    detent,
    model,
    run,
    view,
    results: () => model.requests[1]?.messages.filter(({ role }) => role === 'tool'),
  };
}

async function restOf(detent: Detent, runId: string) {
  return (await detent.runs.attach(runId).result).pending.map(({ question }) => question?.text);
}

describe('a question of a tool at work', () => {
  it('parks the run, and its answer goes to the tool that still runs', async () => {
    let started = 0;
    const define = asking(async (ask) => {
      started++;
      return ask(colour);
    });
    const { run, view, results } = await asked([define]);
    expect(view).toMatchObject({
      status: 'waiting',
      pending: [
        { kind: 'question', name: 'paint', question: colour, why: 'the tool asks while it is running' },
      ],
    });
    await run.confirm('c2', { verdict: 'answer', answer: 'blue' });
    const after = await run.result;
    expect([after.status, started, results()]).toMatchObject([
      'done',
      1,
      [{ text: '{"answered":true,"answer":"blue"}' }],
    ]);
    expect(after.steps[0]?.toolCalls[0]).toMatchObject({
      decision: 'answer',
      answer: 'blue',
      status: 'done',
    });
    expect(after.states.slice(2, 5)).toEqual([
      'active.working.tooling.executing',
      'active.awaitingConfirm',
      'active.working.tooling.executing',
    ]);
  });

  it('may come after another: each is asked once the one before is answered', async () => {
    const define = asking(async (ask) => Promise.all([ask(colour), ask(size), ask(size)]));
    const { detent, run, results } = await asked([define]);
    for (const [text, answer] of [
      ['Which colour?', 'red'],
      ['Which size?', 'small'],
      ['Which size?', 'large'],
    ] as const) {
      expect(await restOf(detent, run.runId)).toEqual([text]);
      await run.confirm('c2', { verdict: 'answer', answer });
    }
    await run.result;
    expect(results()).toMatchObject([{ text: expect.stringMatching(/"red".*"small".*"large"/) }]);
  });

  it.each([
    ['rejected', { verdict: 'reject', reason: 'no idea' }, { why: 'rejected', reason: 'no idea' }],
    ['taken back by a message', 'rather go home', { why: 'withdrawn' }],
  ] as const)('is %s: the tool goes on without an answer', async (_, word, expected) => {
    const { run, results } = await asked([asking((ask) => ask(colour))]);
    if (typeof word === 'string') await run.steer(word);
    else await run.confirm('c2', word);
    expect((await run.result).status).toBe('done');
    expect(results()).toMatchObject([{ text: JSON.stringify({ answered: false, ...expected }) }]);
  });

  it('expires like every other', async () => {
    const { detent, run, results } = await asked([asking((ask) => ask(colour))], {
      limits: { confirmExpiryMs: 30 },
    });
    for await (const { ended } of detent.runs.attach(run.runId).events) if (ended) break;
    expect(results()).toMatchObject([{ text: '{"answered":false,"why":"expired"}' }]);
  });

  it('is not asked where the run asks no person', async () => {
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'paint' }] }, { text: 'ok' }], {
      tools: { define: [asking((ask) => ask(colour))] },
    });
    expect((await detent.run('paint', { approve: 'none' }).result).status).toBe('done');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ text: '{"answered":false,"why":"nobody"}' });
  });

  it('ends with the run that is cancelled', async () => {
    let reason: unknown;
    const define = asking((ask) =>
      ask(colour).catch((error) => {
        reason = error;
      }),
    );
    const { detent, run } = await asked([define]);
    await run.cancel();
    const view = await detent.runs.show(run.runId);
    expect([view.status, view.pending, view.steps[0]?.toolCalls[0]?.decision]).toEqual([
      'cancelled',
      [],
      'withdrawn',
    ]);
    expect(reason).toBeInstanceOf(DOMException);
  });

  it('holds up neither its neighbours nor the clock of its call', async () => {
    const hold = gate();
    const define = [
      asking((ask) => ask(colour), { timeoutMs: 60 }),
      tool('look', { run: () => hold.pass() }),
    ];
    const { run, view, results } = await asked(define, {}, [{ name: 'paint' }, { name: 'look' }]);
    expect(view.pending).toHaveLength(1);
    hold.open();
    await new Promise((resolve) => setTimeout(resolve, 120));
    await run.confirm('c2', { verdict: 'answer', answer: 'red' });
    expect((await run.result).steps[0]?.toolCalls.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(results()).toMatchObject([{ text: expect.stringContaining('red') }, { isError: false }]);
  });

  it('that its tool waits for no longer is closed with the call', async () => {
    const done = gate();
    const define = asking(async (ask) => {
      ask(colour).catch(() => {});
      await done.pass();
      return 'went ahead';
    });
    const { detent, run, results } = await asked([define]);
    done.open();
    for await (const { ended } of detent.runs.attach(run.runId).events) if (ended) break;
    expect(results()).toMatchObject([{ text: 'went ahead' }]);
    expect((await detent.runs.show(run.runId)).pending).toEqual([]);
  });

  it('of two calls at once waits for both answers, in any order', async () => {
    const define = [asking((ask) => ask(colour)), asking((ask) => ask(size), { name: 'cut' })];
    const { detent, run, results } = await asked(define, {}, [{ name: 'paint' }, { name: 'cut' }]);
    while ((await restOf(detent, run.runId)).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await run.confirm('c3', { verdict: 'answer', answer: 'small' });
    expect((await run.result).status).toBe('waiting');
    await run.confirm('c2', { verdict: 'answer', answer: 'red' });
    await run.result;
    expect(results()).toMatchObject([
      { text: expect.stringContaining('red') },
      { text: expect.stringContaining('small') },
    ]);
  });

  it('keeps known secrets out of what is shown and stored, and not out of the answer', async () => {
    const key = 'sk-very-secret-value';
    const define = asking(async (ask) => {
      const given = await ask({ text: `Is it ${key}?` });
      return given.answered && given.answer === key ? 'the very same' : 'another';
    });
    const options = { env: { SHOP_API_KEY: key } };
    const { run, view, results } = await asked([define], options);
    expect(view.pending[0]?.question?.text).not.toContain(key);
    await run.confirm('c2', { verdict: 'answer', answer: key });
    expect(JSON.stringify(await run.result)).not.toContain(key);
    expect(results()).toMatchObject([{ text: 'the very same' }]);
  });
});

describe('a form', () => {
  const fields: QuestionView['fields'] = [
    { name: 'name', type: 'text', min: 2 },
    { name: 'age', type: 'integer', min: 18, optional: true },
    { name: 'news', type: 'boolean', default: false },
    { name: 'plan', type: 'text', options: [{ value: 'a', title: 'Small' }, { value: 'b' }] },
    { name: 'mail', type: 'text', format: 'email', optional: true },
    {
      name: 'days',
      type: 'text',
      multiple: true,
      options: [{ value: 'mo' }, { value: 'tu' }],
      optional: true,
    },
  ];
  const form = () => asked([asking((ask) => ask({ text: 'Who?', fields }))]);

  it('takes an object, or its JSON, with words for numbers, and fills in what is left out', async () => {
    for (const answer of [
      { name: 'Kim', age: '30', plan: 'Small', days: ['tu'] },
      '{"name": "Kim", "age": 30, "plan": "a", "days": "tu"}',
    ]) {
      const { run, results } = await form();
      await run.confirm('c2', { verdict: 'answer', answer });
      await run.result;
      expect(results()).toMatchObject([
        {
          text: JSON.stringify({
            answered: true,
            answer: { name: 'Kim', age: 30, news: false, plan: 'a', days: ['tu'] },
          }),
        },
      ]);
    }
  });

  it.each([
    ['name', { plan: 'a' }],
    ['at least 2 characters', { name: 'K', plan: 'a' }],
    ['at least 18', { name: 'Kim', plan: 'a', age: 3 }],
    ['whole number', { name: 'Kim', plan: 'a', age: 20.5 }],
    ['true or false', { name: 'Kim', plan: 'a', news: 'perhaps' }],
    ['one of "a", "b"', { name: 'Kim', plan: 'c' }],
    ['e-mail', { name: 'Kim', plan: 'a', mail: 'kim' }],
    ['one of "mo", "tu"', { name: 'Kim', plan: 'a', days: ['su'] }],
    ['no field "nom"', { nom: 'Kim', plan: 'a' }],
    ['no field "__proto__"', '{"name": "Kim", "plan": "a", "__proto__": "x"}'],
    ['JSON object', 'Kim'],
  ])('says what is wrong: %s', async (problem, answer) => {
    const { run } = await form();
    await expect(run.confirm('c2', { verdict: 'answer', answer })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
      message: expect.stringContaining(problem),
    });
    expect((await run.result).pending).toHaveLength(1);
  });

  it('of one field takes its value alone', async () => {
    const { run, results } = await asked([
      asking((ask) => ask({ text: 'How many?', fields: [{ name: 'count', type: 'integer' }] })),
    ]);
    await run.confirm('c2', { verdict: 'answer', answer: '3' });
    await run.result;
    expect(results()).toMatchObject([{ text: '{"answered":true,"answer":{"count":3}}' }]);
  });
});

describe('a question whose process has ended', () => {
  const lives = async (sideEffect: SideEffect) => {
    const workspace = await temporaryWorkspace();
    const heard: PersonAnswer[][] = [];
    const define = asking(
      async (ask) => {
        const answers = [await ask(colour)];
        heard.push(answers);
        answers.push(await ask(size));
        return answers;
      },
      { sideEffect, ...(sideEffect === 'probe' && { status: () => ({ notRan: true as const }) }) },
    );
    const open = (script: Parameters<typeof scriptedModel>[0]) => {
      const { store: _, ...options } = modelOptions(scriptedModel(script), {
        workspace,
        tools: { define: [define] },
      });
      return createDetent(options);
    };
    const first = open([{ toolCalls: [{ name: 'paint' }] }]);
    const run = first.run('paint');
    expect((await run.result).pending).toMatchObject([{ question: colour }]);
    await run.confirm('c2', { verdict: 'answer', answer: 'red' });
    while ((await restOf(first, run.runId))[0] !== size.text);
    await first.close();
    const second = open([{ text: 'done' }]);
    const resumed = await second.runs.resume({ runId: run.runId });
    expect(resumed).toEqual([run.runId]);
    return { second, run: second.runs.attach(run.runId), heard };
  };

  it.each(['readonly', 'idempotent', 'probe'] as const)(
    'is asked again by the %s call that is made again, which knows the earlier answers',
    async (sideEffect) => {
      const { second, run, heard } = await lives(sideEffect);
      while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(heard[1]).toEqual([{ answered: true, answer: 'red' }]);
      expect(await restOf(second, run.runId)).toEqual([size.text]);
      await run.confirm('c2', { verdict: 'answer', answer: 'large' });
      const view = await run.result;
      expect(view).toMatchObject({ status: 'done', text: 'done' });
      expect(view.steps[0]?.toolCalls[0]?.result).toMatch(/red.*large/);
      expect((await second.runs.replay(run.runId)).diverged).toBeNull();
      await second.close();
    },
  );

  it('gives way to the question what became of an unsafe call', async () => {
    const { second, run, heard } = await lives('unsafe');
    expect((await run.result).pending).toMatchObject([{ kind: 'reconcile', name: 'paint' }]);
    expect(heard).toHaveLength(1);
    await second.runs.reconcile(run.runId, 'c2', { verdict: 'retry' });
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await run.confirm('c2', { verdict: 'answer', answer: 'large' });
    expect(await run.result).toMatchObject({ status: 'done' });
    await second.close();
  });
});

describe('a fork of a run whose tool asks', () => {
  it('asks again, whatever the original was answered', async () => {
    const { detent, run } = await asked([asking(async (ask) => [await ask(colour), await ask(size)])]);
    await run.confirm('c2', { verdict: 'answer', answer: 'red' });
    while ((await restOf(detent, run.runId))[0] !== size.text);
    const events = await detent.runs.events(run.runId);
    const at = events.find(({ event }) => event.type === 'tool.asked')?.seq ?? 0;
    const fork = await detent.runs.fork(run.runId, { at });
    const copy = detent.runs.attach(fork.runId);
    expect((await detent.runs.show(fork.runId)).pending).toMatchObject([{ question: colour }]);
    await detent.runs.resume({ runId: fork.runId });
    await copy.confirm('c2', { verdict: 'answer', answer: 'blue' });
    while ((await restOf(detent, fork.runId))[0] !== size.text);
    await copy.confirm('c2', { verdict: 'answer', answer: 'small' });
    expect((await copy.result).steps[0]?.toolCalls[0]?.result).toMatch(/blue.*small/);
  });
});
