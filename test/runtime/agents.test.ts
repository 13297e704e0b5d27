import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../src/protocol/content.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { temporaryWorkspace, tool, withModel } from '../support/detent.ts';

const agents = {
  default: { systemPrompt: 'You are the house.' },
  reviewer: {
    systemPrompt: 'You review.',
    model: 'test/careful',
    tools: ['@files', 'look'],
    limits: { maxSteps: 7 },
  },
  bare: {},
};

/** What a run with this request is asked, and the run. */
async function asked(
  request: object,
  options: object = {},
  script: ScriptLine[] = [{ text: 'ok' }],
): Promise<{ system: string; model: string; tools: string[]; agent: string | undefined }> {
  const model = scriptedModel(script);
  const detent = withModel(model, {
    system: 'From the top.',
    agents,
    tools: { define: [tool('look'), tool('act')], sets: { own: ['look', 'act'] } },
    ...options,
  });
  const view = await detent.run('hi', request).result;
  const [first] = model.requests;
  return {
    system: first?.messages[0]?.role === 'system' ? first.messages[0].text : '',
    model: first?.model ?? '',
    tools: first?.tools.map(({ name }) => name) ?? [],
    agent: view.agent,
  };
}

describe('an agent', () => {
  it('that is named brings its prompt, its model and its tools, and the run knows its name', async () => {
    expect(await asked({ agent: 'reviewer' })).toEqual({
      system: 'You review.',
      model: 'careful',
      tools: ['edit_file', 'grep', 'list_files', 'look', 'read_file', 'write_file'],
      agent: 'reviewer',
    });
  });

  it('is "default" when none is named, and then the run does not speak of it', async () => {
    const { system, model, agent } = await asked({});
    expect({ system, model, agent }).toEqual({
      system: 'You are the house.',
      model: 'script',
      agent: undefined,
    });
  });

  it('"default" is there without an entry, and is the top of the configuration', async () => {
    expect(await asked({ agent: 'default' }, { agents: {} })).toMatchObject({ system: 'From the top.' });
    expect(await asked({}, { agents: undefined })).toMatchObject({ system: 'From the top.' });
  });

  it('takes what it leaves out from the top of the configuration', async () => {
    const { system, model, agent } = await asked({ agent: 'bare' });
    expect({ system, model, agent }).toEqual({ system: 'From the top.', model: 'script', agent: 'bare' });
  });

  it('gives way to what the request says', async () => {
    expect(
      await asked({ agent: 'reviewer', system: 'Mine.', model: 'test/other', tools: ['look'] }),
    ).toMatchObject({ system: 'Mine.', model: 'other', tools: ['look'] });
  });

  it('has tools that no request can widen, within those of the configuration', async () => {
    expect((await asked({ agent: 'reviewer', tools: ['look', 'act', '@math'] })).tools).toEqual(['look']);
    const define = [tool('look'), tool('act')];
    expect(
      (await asked({ agent: 'reviewer' }, { tools: { define, allowed: ['look', 'act'] } })).tools,
    ).toEqual(['look']);
  });

  it('that does not exist is told, with the nearest and with all that there are', async () => {
    const detent = withModel(scriptedModel([]), { agents });
    const failing = detent.run('hi', { agent: 'reviwer' }).started;
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
    await expect(failing).rejects.toThrow(/did you mean "reviewer".*default, reviewer, bare/);
    await expect(detent.run('hi', { agent: 'toString' }).started).rejects.toMatchObject({
      code: 'UNKNOWN_AGENT',
    });
  });

  it('is fixed when the run is made: a run that is carried on keeps it', async () => {
    const workspace = await temporaryWorkspace();
    const act = tool('act', { sideEffect: 'unsafe' });
    const options = { workspace, store: undefined, tools: { define: [act] } } as const;
    const first = withModel(scriptedModel([{ toolCalls: [{ name: 'act' }] }]), {
      ...options,
      agents: { writer: { systemPrompt: 'As it was.' } },
    } as never);
    const parked = await first.run('go', { agent: 'writer' }).result;
    await first.close();

    const model = scriptedModel([{ text: 'done' }]);
    const second = withModel(model, { ...options, agents: {} } as never);
    await second.runs.confirm(parked.runId, 'c2', { verdict: 'approve' });
    await second.runs.resume({ runId: parked.runId });
    const view = await second.runs.attach(parked.runId).result;
    expect(view).toMatchObject({ status: 'done', agent: 'writer' });
    expect(model.requests[0]?.messages[0]).toEqual({ role: 'system', text: 'As it was.' });
  });
});

describe('a set of tools', () => {
  it.each([
    [['@files'], ['edit_file', 'grep', 'list_files', 'read_file', 'write_file']],
    [
      ['@math', '@time'],
      ['calculator', 'datetime', 'unit_convert'],
    ],
    [
      ['@own', 'calculator', 'look'],
      ['act', 'calculator', 'look'],
    ],
  ])('%j stands for %j', async (tools, expected) => {
    expect((await asked({ tools })).tools).toEqual(expected);
  });

  it('may be allowed, and disabled, in the configuration', async () => {
    const define = [tool('look'), tool('act')];
    const allowed = { define, allowed: ['@files', 'look'], disabled: ['write_file'] };
    expect((await asked({}, { tools: allowed })).tools).toEqual([
      'edit_file',
      'grep',
      'list_files',
      'look',
      'read_file',
    ]);
    const sets = ['@files', '@math', '@time', '@web', '@shell', '@plan', '@memory', '@skills'];
    const disabled = { define, disabled: sets };
    expect((await asked({}, { tools: disabled })).tools).toEqual(['act', 'look']);
  });

  it('of one’s own takes the place of a built-in one', async () => {
    const tools = { define: [tool('look')], sets: { files: ['read_file', 'look'] } };
    expect((await asked({ tools: ['@files'] }, { tools })).tools).toEqual(['look', 'read_file']);
  });

  it('that does not exist is told, with the nearest', async () => {
    const detent = withModel(scriptedModel([]));
    const failing = detent.run('hi', { tools: ['@file'] }).started;
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN_TOOLSET' });
    await expect(failing).rejects.toThrow(/did you mean "@files"/);
  });

  it('a disabled tool is refused, even when the model calls it', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]);
    const detent = withModel(model, { tools: { define: [tool('look')], disabled: ['look'] } });
    const view = await detent.run('go').result;
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'rejected', code: 'TOOL_NOT_ALLOWED' });
  });
});

describe('a configuration that names what does not exist', () => {
  it.each([
    ['model', { model: 'gpt-5' }, /model: .*"gpt-5" is not a model name/],
    ['an agent’s model', { agents: { a: { model: 'gpt-5' } } }, /agents\.a\.model: /],
    ['an agent’s tools', { agents: { a: { tools: ['@nope'] } } }, /agents\.a\.tools: .*@nope/],
    ['allowed tools', { tools: { allowed: ['@nope'] } }, /tools\.allowed: .*@nope/],
    ['disabled tools', { tools: { disabled: ['@nope'] } }, /tools\.disabled: .*@nope/],
    [
      'a field of an agent',
      { agents: { a: { sytemPrompt: '' } } },
      /agents\.a\.sytemPrompt: there is no such field/,
    ],
    ['a name of an agent', { agents: { 'two words': {} } }, /agents\.two words: a name is/],
  ])('%s is refused with its path', async (_, config, message) => {
    const detent = withModel(scriptedModel([]), { model: 'test/x', ...config } as never);
    await expect(detent.runs.list()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(detent.runs.list()).rejects.toThrow(message);
  });
});

describe('a model without its provider', () => {
  const small = { baseUrl: 'http://127.0.0.1:9/v1', models: { 'qwen3:8b': {}, '*': {} } };

  it('is the one that a single provider lists; the run knows its whole name', async () => {
    const detent = withModel(scriptedModel([]), { models: { house: small }, limits: { maxRetries: 0 } });
    const handle = detent.run('hi', { model: 'qwen3:8b' });
    expect((await handle.result).error?.message).toContain('127.0.0.1:9');
  });

  it('that several list is refused with their names', async () => {
    const detent = withModel(scriptedModel([]), { models: { house: small, garden: small } });
    const failing = detent.run('hi', { model: 'qwen3:8b' }).started;
    await expect(failing).rejects.toMatchObject({ code: 'AMBIGUOUS_MODEL' });
    await expect(failing).rejects.toThrow('house/qwen3:8b, garden/qwen3:8b');
  });

  it('that none lists is unknown; the nearest is suggested', async () => {
    const detent = withModel(scriptedModel([]), { models: { house: small } });
    const failing = detent.run('hi', { model: 'qwen3:8' }).started;
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN_MODEL' });
    await expect(failing).rejects.toThrow('did you mean house/qwen3:8b?');
    await expect(detent.run('hi', { model: '*' }).started).rejects.toMatchObject({ code: 'UNKNOWN_MODEL' });
  });
});

describe('a limit in money', () => {
  it('without a price is refused, and the field is named', async () => {
    const detent = withModel(scriptedModel([{ text: 'ok' }]));
    const failing = detent.run('hi', { limits: { maxCostUsd: 1 } }).started;
    await expect(failing).rejects.toMatchObject({ code: 'PRICE_MISSING' });
    await expect(failing).rejects.toThrow('models.test.price');
    await expect(
      detent.run('hi', {
        model: 'own/qwen3',
        baseUrl: 'http://127.0.0.1:1/v1',
        limits: { maxCostUsd: 1 },
      }).started,
    ).rejects.toThrow('models.own.models["qwen3"].price');
  });

  it('of an agent is one, too', async () => {
    const detent = withModel(scriptedModel([]), { agents: { poor: { limits: { maxCostUsd: 1 } } } });
    await expect(detent.run('hi', { agent: 'poor' }).started).rejects.toMatchObject({
      code: 'PRICE_MISSING',
    });
  });

  it('needs no price for the demo, which costs nothing', async () => {
    const detent = withModel(scriptedModel([]), { model: 'demo/demo' });
    const view = await detent.run('What is 2 + 2?', { limits: { maxCostUsd: 0.01 } }).result;
    expect(view).toMatchObject({ status: 'done', usage: { costUsd: 0 } });
  });
});

describe('a request without streaming', () => {
  it('asks for whole answers, and tells each in one piece', async () => {
    const model = scriptedModel([
      (_, { onDelta }) => {
        for (const text of ['a', 'b', 'c']) onDelta({ type: 'text', text });
        return { text: 'abc', toolCalls: [{ name: 'look' }], reasoning: 'hm' };
      },
      { text: 'done' },
    ]);
    const detent = withModel(model, { tools: { define: [tool('look')] } });
    const run = detent.run('go', { stream: false });
    const deltas: ModelDelta[] = [];
    for await (const signal of run.events)
      if (signal.type === 'delta') deltas.push(signal.delta as ModelDelta);
    expect(model.requests.map(({ stream }) => stream)).toEqual([false, false]);
    expect(deltas.map((delta) => (delta.type === 'toolCall' ? delta.name : delta.text))).toEqual([
      'hm',
      'abc',
      'look',
      'done',
    ]);
  });

  it('is not made by default', async () => {
    const model = scriptedModel([{ text: 'ok' }]);
    await withModel(model).run('go').result;
    expect(model.requests[0]).not.toHaveProperty('stream');
  });
});

describe('the tools that there are', () => {
  it('are described with their class, who asks and why, and which are off', async () => {
    const detent = withModel(scriptedModel([]), {
      tools: {
        define: [
          tool('look'),
          tool('act', { sideEffect: 'unsafe' }),
          tool('depends', { sideEffect: ({ dry }) => (dry ? 'readonly' : 'unsafe') }),
          tool('sometimes', { sideEffect: 'readonly', confirm: ({ big }) => big === true }),
        ],
        allowed: ['look', 'act', 'depends', 'sometimes', 'calculator'],
        disabled: ['calculator'],
      },
      policy: { confirm: { act: false } },
    });
    const views = new Map((await detent.tools.describe()).map((view) => [view.name, view]));
    expect(views.get('look')).toMatchObject({
      description: 'look',
      parameters: { type: 'object' },
      sideEffect: 'readonly',
      asks: false,
      why: 'tool default: look',
      disabled: null,
    });
    expect(views.get('act')).toMatchObject({
      sideEffect: 'unsafe',
      asks: false,
      why: 'configuration: confirm act, over tool default: act asks',
    });
    expect(views.get('depends')).toMatchObject({ sideEffect: null, asks: null });
    expect(views.get('sometimes')).toMatchObject({ sideEffect: 'readonly', asks: null });
    expect(views.get('calculator')?.disabled).toContain('tools.disabled');
    expect(views.get('write_file')).toMatchObject({ sideEffect: 'probe', asks: true, grantBy: ['path'] });
    expect(views.get('act')).not.toHaveProperty('grantBy');
    expect(views.get('write_file')?.disabled).toContain('tools.allowed');
    expect((await detent.tools.list()).map(({ name }) => name)).toEqual([
      'act',
      'depends',
      'look',
      'sometimes',
    ]);
  });
});
