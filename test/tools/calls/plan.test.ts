import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/protocol/tool.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { fakeTool, planContext, toolboxOf } from '../helpers.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  parameters: z.strictObject({
    query: z.string(),
    filters: z.array(z.object({ max: z.number() })).optional(),
  }),
  sideEffect: 'readonly',
  run: () => 'found',
});

const viaJsonSchema = defineTool({
  name: 'plain',
  description: 'Has a JSON Schema only.',
  jsonSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 2 },
      'a/b': { type: 'object', properties: { n: { type: 'array', items: { type: 'integer' } } } },
    },
    required: ['query'],
    additionalProperties: false,
  },
  sideEffect: 'readonly',
  run: () => 'found',
});

const plan = (name: string, raw: string, over = {}) =>
  toolboxOf(search, viaJsonSchema).plan(name, raw, planContext(over));

describe('planning a call', () => {
  it('runs a readonly tool with valid arguments, and says which rule let it', async () => {
    const answer = await plan('search', '{"query":"x"}');
    expect(answer).toEqual({ gate: 'run', sideEffect: 'readonly', why: 'tool default: search does not ask' });
  });

  it('answers an unknown tool with the nearest name and all that are available', async () => {
    expect(await plan('Serch', '{}')).toEqual({
      gate: 'refuse',
      code: 'UNKNOWN_TOOL',
      text: 'There is no tool "Serch". Did you mean "search"? Available tools: plain, search.',
      why: 'no such tool',
    });
    expect(await plan('send_email', '{}')).toMatchObject({
      text: 'There is no tool "send_email". Available tools: plain, search.',
    });
  });

  it('does not offer a tool that is not allowed in place of an unknown one', async () => {
    const answer = await plan('serch', '{}', { allowed: ['plain'] });
    expect(answer).toMatchObject({ text: 'There is no tool "serch". Available tools: plain.' });
  });

  it('refuses a tool outside the allow-list before it looks at the arguments', async () => {
    expect(await plan('search', 'not json', { allowed: ['plain'] })).toMatchObject({
      code: 'TOOL_NOT_ALLOWED',
      text: 'Tool "search" may not be used in this run. Allowed tools: plain.',
    });
    const toolbox = createToolbox({ tools: [search], allowed: [] });
    expect(await toolbox.plan('search', '{}', planContext({ allowed: ['search'] }))).toMatchObject({
      text: 'Tool "search" may not be used in this run. Allowed tools: none.',
    });
  });

  it('keeps a name of a megabyte out of its answer', async () => {
    const answer = await plan('x'.repeat(1_000_000), '{}');
    expect(answer.gate === 'refuse' && answer.text.length).toBeLessThan(300);
  });
});

describe('arguments', () => {
  it('takes no text as no arguments', async () => {
    expect(await toolboxOf(fakeTool()).plan('fake', '', planContext())).toMatchObject({ gate: 'run' });
    expect(await toolboxOf(fakeTool()).plan('fake', ' \n', planContext())).toMatchObject({ gate: 'run' });
  });

  it.each([
    ['{"query":', /not valid JSON/],
    ['null', /expected a JSON object, got null/],
    ['[1]', /expected a JSON object, got an array/],
    ['"{}"', /expected a JSON object, got a string/],
  ])('refuses %s and says what is expected', async (raw, text) => {
    const answer = await plan('search', raw);
    expect(answer).toMatchObject({ code: 'INVALID_ARGUMENTS', text: expect.stringMatching(text) });
    expect(answer).toMatchObject({ text: expect.stringContaining('Required: query (string).') });
  });

  it('lists each problem with its path', async () => {
    const answer = await plan('search', '{"filters":[{"max":1},{"max":"2"}],"qurey":"x"}');
    expect(answer.gate === 'refuse' && answer.text).toBe(
      [
        'Invalid arguments for search:',
        '- query: Invalid input: expected string, received undefined',
        '- filters[1].max: Invalid input: expected number, received string',
        '- Unrecognized key: "qurey"',
        'Required: query (string).',
      ].join('\n'),
    );
  });

  it('validates tools that have a JSON Schema only, and lists the innermost problems', async () => {
    expect(await plan('plain', '{"query":"ok"}')).toMatchObject({ gate: 'run' });
    const answer = await plan('plain', '{"a/b":{"n":[1,"2"]},"query":"x","k":1}');
    expect(answer.gate === 'refuse' && answer.text).toBe(
      [
        'Invalid arguments for plain:',
        '- query: String is too short (1 < 2).',
        '- a/b.n[1]: Value type "string" is invalid. Expected "integer".',
        '- Property "k" does not match additional properties schema.',
        'Required: query (string).',
      ].join('\n'),
    );
  });

  it('refuses calls whose schema is broken or throws, instead of throwing', async () => {
    const throwing = fakeTool({
      name: 'throwing',
      parameters: z.object({}).transform(() => {
        throw new Error('no luck');
      }) as never,
      jsonSchema: { type: 'object' },
    });
    const unresolved = defineTool({
      name: 'unresolved',
      description: 'Refers to a schema that is nowhere.',
      jsonSchema: { type: 'object', $ref: 'https://example.org/none' },
      sideEffect: 'readonly',
      run: () => 'never',
    });
    const toolbox = toolboxOf(throwing, unresolved);
    for (const name of ['throwing', 'unresolved'])
      expect(await toolbox.plan(name, '{}', planContext())).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        text: expect.stringContaining('could not be checked'),
      });
  });

  it('keeps a list of very many problems short', async () => {
    const filters = Array.from({ length: 500 }, () => ({ max: 'x' }));
    const answer = await plan('search', JSON.stringify({ query: 'q', filters }));
    expect(answer.gate === 'refuse' && answer.text).toContain('- and 490 more');
  });

  it('survives any text as arguments', async () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ query: value })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('search', 'plain', 'nothing'), texts, async (name, raw) => {
        const answer = await plan(name, raw);
        expect(['run', 'refuse']).toContain(answer.gate);
      }),
      { numRuns: 300 },
    );
  });

  it('survives nesting that would overflow the stack', async () => {
    const depth = 200_000;
    const nested = `{"query":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(await plan('search', nested)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await plan('plain', nested)).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});
