import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DetentError } from '../../src/protocol/error.ts';
import { defineTool, type ToolDefinition, ToolFailure } from '../../src/protocol/tool.ts';

const valid: ToolDefinition<{ city: string }> = {
  name: 'weather',
  description: 'Current weather of a city.',
  parameters: z.object({ city: z.string() }),
  sideEffect: 'readonly',
  run: ({ city }) => `sunny in ${city}`,
};

describe('defineTool', () => {
  it.each(['', 'two words', 'naïve', 'a.b', 'x'.repeat(65)])('refuses the name %j', (name) => {
    expect(() => defineTool({ ...valid, name })).toThrow(expect.objectContaining({ code: 'INVALID_TOOL' }));
  });

  it('refuses a tool without any schema', () => {
    const { parameters, ...rest } = valid;
    expect(() => defineTool(rest)).toThrow(/give `parameters`/);
  });

  it('refuses a JSON Schema in the place of a zod schema', () => {
    const parameters = { type: 'object', properties: {} } as never;
    expect(() => defineTool({ ...valid, parameters })).toThrow(/a JSON Schema belongs in `jsonSchema`/);
  });

  it('refuses a schema that cannot print itself, unless a JSON Schema stands beside it', () => {
    const silent = {
      '~standard': { version: 1, vendor: 'x', validate: () => ({ value: { city: '' } }) },
    } as const;
    expect(() => defineTool({ ...valid, parameters: silent })).toThrow(/cannot print itself/);
    expect(() => defineTool({ ...valid, parameters: silent, jsonSchema: { type: 'object' } })).not.toThrow();
  });

  it('refuses a field that it does not know, and a tool that does nothing', () => {
    const { sideEffect, run, ...rest } = valid;
    expect(() => defineTool({ ...rest, run, sideEfect: sideEffect } as never)).toThrow(
      /^tool "weather" has no field "sideEfect"; did you mean "sideEffect"\?$/,
    );
    expect(() => defineTool({ ...rest, sideEffect } as never)).toThrow(/give `run`/);
  });

  it('takes a tool with a change as another tool', () => {
    expect(defineTool({ ...defineTool(valid), confirm: true }).confirm({ city: 'Bern' })).toBe(true);
  });

  it('refuses a probe tool that cannot be asked', () => {
    expect(() => defineTool({ ...valid, sideEffect: 'probe' })).toThrow(/needs a `status`/);
  });

  it('takes a probe class that was computed from arguments as unsafe when there is no status', () => {
    const tool = defineTool({ ...valid, sideEffect: () => 'probe' });
    expect(tool.sideEffect({ city: 'Bern' })).toBe('unsafe');
  });

  it.each([
    ['readonly', false],
    ['idempotent', false],
    ['probe', true],
    ['unsafe', true],
  ] as const)('asks for %s by default: %s', (sideEffect, asks) => {
    const tool = defineTool({ ...valid, sideEffect, status: () => ({ unknown: true }) });
    expect(tool.confirm({ city: 'Bern' })).toBe(asks);
  });

  it('lets confirm name who decides, and nobody unknown', () => {
    expect(defineTool({ ...valid, confirm: 'staff' }).confirm({ city: 'Bern' })).toBe('staff');
    expect(() => defineTool({ ...valid, confirm: 'everyone' as never })).toThrow(/confirm is "user", "s/);
  });

  it('lets confirm decide by the arguments', () => {
    const tool = defineTool({ ...valid, sideEffect: 'unsafe', confirm: ({ city }) => city === 'Bern' });
    expect([tool.confirm({ city: 'Bern' }), tool.confirm({ city: 'Thun' })]).toEqual([true, false]);
  });

  it('gives an attempt 60 seconds unless told otherwise', () => {
    expect(defineTool(valid).timeoutMs).toBe(60_000);
    expect(defineTool({ ...valid, timeoutMs: 5 }).timeoutMs).toBe(5);
  });
});

describe('ToolFailure', () => {
  it('is a DetentError with its own code', () => {
    const failure = new ToolFailure('OUT_OF_STOCK', 'only 2 left');
    expect(DetentError.is(failure)).toBe(true);
    expect(failure).toMatchObject({ code: 'OUT_OF_STOCK', message: 'only 2 left', retryable: false });
  });
});
