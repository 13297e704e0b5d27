import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Tool } from '../../../src/protocol/tool.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { fakeTool } from '../helpers.ts';

const named = (...names: string[]) => names.map((name) => fakeTool({ name }));

describe('tool registry', () => {
  it('sorts names by code unit, whatever the order of registration', () => {
    expect(new ToolRegistry(named('b', 'a', 'B', 'a_1', 'a-1')).names()).toEqual([
      'B',
      'a',
      'a-1',
      'a_1',
      'b',
    ]);
  });

  it('refuses a second tool of the same name', () => {
    expect(() => new ToolRegistry(named('a', 'a'))).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_TOOL' }),
    );
  });

  it('refuses tools that no one can call or that time out at once', () => {
    const invalid = expect.objectContaining({ code: 'INVALID_TOOL' });
    expect(() => new ToolRegistry([{ ...fakeTool(), name: '' }])).toThrow(invalid);
    expect(() => new ToolRegistry([fakeTool({ timeoutMs: 0 })])).toThrow(invalid);
    expect(() => new ToolRegistry([fakeTool({ timeoutMs: Number.NaN })])).toThrow(invalid);
  });

  it('knows names that every object inherits only when they are registered', () => {
    expect(new ToolRegistry([]).get('constructor')).toBeUndefined();
    expect(new ToolRegistry(named('toString')).get('toString')?.tool.name).toBe('toString');
  });
});

describe('tool specs', () => {
  const specOf = (tool: Tool) => createToolbox({ tools: [tool], allowed: null }).specs(null)[0];

  it('prints a zod schema as JSON Schema without $schema', () => {
    const parameters = z.strictObject({
      city: z.string().describe('Where'),
      days: z.int().min(1).optional(),
    });
    expect(specOf(fakeTool({ parameters: parameters as never }))?.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', description: 'Where' }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
      additionalProperties: false,
    });
    expect(specOf(fakeTool())?.parameters).not.toHaveProperty('$schema');
  });

  it('prefers an explicit JSON Schema, and keeps a copy of it', () => {
    const jsonSchema = { $schema: 'x', type: 'object', description: 'mine' };
    const toolbox = createToolbox({ tools: [fakeTool({ jsonSchema })], allowed: null });
    jsonSchema.description = 'changed';
    expect(toolbox.specs(null)[0]?.parameters).toEqual({ type: 'object', description: 'mine' });
  });

  it('refuses schemas that are not of an object, or cannot be shown', () => {
    const invalid = expect.objectContaining({ code: 'INVALID_TOOL' });
    expect(() => specOf(fakeTool({ jsonSchema: { type: 'string' } }))).toThrow(invalid);
    expect(() => specOf(fakeTool({ parameters: z.union([z.object({}), z.object({})]) as never }))).toThrow(
      invalid,
    );
    expect(() => specOf(fakeTool({ parameters: z.object({ at: z.date() }) as never }))).toThrow(invalid);
  });

  it('of Detent’s own are printed when a model is offered them, once; those of a program at once', () => {
    const printed: string[] = [];
    const telling = (name: string) => {
      const schema = z.strictObject({ a: z.string() });
      const jsonSchema = {
        input() {
          printed.push(name);
          return { type: 'object' };
        },
      };
      const parameters = { '~standard': { ...schema['~standard'], jsonSchema } };
      return fakeTool({ name, parameters: parameters as never });
    };
    const own = [telling('offered'), telling('left_out')];
    const toolbox = createToolbox({ tools: [telling('mine')], own, allowed: ['offered'] });
    expect(printed).toEqual(['mine']);
    for (const _ of [1, 2]) expect(toolbox.specs(null)).toMatchObject([{ name: 'offered' }]);
    expect(printed).toEqual(['mine', 'offered']);
  });

  it('shows what both the configuration and the run allow, sorted', () => {
    const tools = named('d', 'c', 'b', 'a');
    const toolbox = createToolbox({ tools, allowed: ['d', 'b', 'a', 'not registered'] });
    const shown = (run: string[] | null) => toolbox.specs(run).map((spec) => spec.name);
    expect(shown(null)).toEqual(['a', 'b', 'd']);
    expect(shown(['d', 'c', 'a'])).toEqual(['a', 'd']);
    expect(shown([])).toEqual([]);
    expect(createToolbox({ tools, allowed: [] }).specs(null)).toEqual([]);
  });

  it('gives the same bytes every time, so that a provider can cache the prompt', () => {
    const toolbox = createToolbox({ tools: named('b', 'a'), allowed: null });
    expect(JSON.stringify(toolbox.specs(null))).toBe(JSON.stringify(toolbox.specs(null)));
  });
});
