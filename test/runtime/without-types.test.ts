import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { createDetent, defineTool } from '../../src/index.ts';
import { temporaryWorkspace } from '../support/detent.ts';

const made = (options: unknown) => createDetent(options as object);
const answering = (answer: unknown) =>
  made({ store: 'in-process', model: 'my/x', models: { my: { generate: async () => answer } } });
const whole = { model: 'x', reasoning: '', refusal: '', finishReason: null, finish: 'stop', usage: null };

describe('a program without types', () => {
  it.each([null, 'memory', 5, []])('hears that %j are no options', (options) => {
    expect(() => made(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });

  it.each([
    [{ store: 'sqlite' }, 'INVALID_CONFIG', 'store is "in-process" or a Store, not "sqlite"'],
    [{ store: null }, 'INVALID_CONFIG', 'not null'],
    [{ workspace: 5 }, 'INVALID_CONFIG', 'workspace is the path of a folder, not 5'],
    [{ workflows: [setup({}).createMachine({})] }, 'INVALID_WORKFLOW', 'workflow(chart)'],
    [{ model: 'my/x', models: { my: {} } }, 'INVALID_PROVIDER', 'set models.my.baseUrl'],
  ])('hears what is wrong with %j', async (options, code, words) => {
    const detent = made({ workspace: await temporaryWorkspace(), ...options });
    await expect(detent.run('hi').result).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    await detent.close();
  });

  it.each([
    [undefined, 'it is not an object'],
    [{ text: 'hi' }, '"reasoning" is not a text'],
    [{ ...whole, text: 'hi', error: null }, '"toolCalls" is not a list'],
    [
      { ...whole, text: '', toolCalls: [{ id: '', name: 'a', arguments: {} }], error: null },
      'of a tool call are not texts',
    ],
    [{ ...whole, text: 'hi', toolCalls: [] }, '"error" is neither'],
  ])('hears that its model answered %j', async (answer, words) => {
    const detent = answering(answer);
    expect(await detent.run('hi').result).toMatchObject({
      outcome: 'provider_error',
      error: { code: 'MODEL_MALFORMED', message: expect.stringContaining(words) },
    });
    await detent.close();
  });

  it.each([
    [undefined, 'an object that states a tool, not undefined'],
    [5, 'an object that states a tool, not 5'],
    [{ run: () => '', jsonSchema: {} }, 'a name is 1 to 64 letters'],
  ])('hears that %j is no tool', (definition, words) => {
    const stated = defineTool as (definition: unknown) => unknown;
    expect(() => stated(definition)).toThrow(
      expect.objectContaining({ code: 'INVALID_TOOL', message: expect.stringContaining(words) }),
    );
  });

  it.each([null, 'default', 5])(
    'hears that %j are no options of a run, a call or a workflow',
    async (request: unknown) => {
      const { run, tools, workflows, close } = made({ store: 'in-process' });
      const options = request as object;
      const starts = [
        () => run('hi', options),
        () => tools.call('calculator', {}, options),
        () => workflows.start('order', null, options),
      ];
      for (const start of starts) expect(start).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
      await close();
    },
  );

  it('gets an answer that has every field', async () => {
    const detent = answering({ ...whole, text: 'hi', toolCalls: [], error: null });
    expect(await detent.run('hi').result).toMatchObject({ status: 'done', text: 'hi' });
    await detent.close();
  });
});
