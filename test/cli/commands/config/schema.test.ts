import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderConfig } from '../../../../src/cli/commands/init/render-config.ts';
import { checkConfig } from '../../../../src/protocol/config/config.ts';
import { configJsonSchema } from '../../../../src/protocol/config/json-schema.ts';
import { configFields } from '../../../../src/protocol/config/list-fields.ts';
import { bareWorkspace } from '../../../support/cli.ts';

interface Node {
  properties?: Record<string, Node>;
  description?: string;
  default?: unknown;
}

const schema = configJsonSchema();
const validator = new Validator(schema, '7');

function isValid(config: unknown): boolean {
  return validator.validate(config).valid;
}

/** Every field of the YAML that `init` writes, in force. */
function everyField(): unknown {
  const sign = /^(\s*)# ( *(?:(?:\w+|"\*"):( |$)|#))/;
  return parse(
    renderConfig('yaml')
      .split('\n')
      .map((line) => line.replace(sign, '$1$2'))
      .join('\n'),
  );
}

describe('the JSON Schema of a configuration file', () => {
  it('takes every field that init writes', () => {
    expect(Object.keys(everyField() as object)).toHaveLength(25);
    expect(validator.validate(everyField()).errors).toEqual([]);
  });

  it.each([
    [{ limits: { maxSteps: 0 } }],
    [{ limits: { maxStep: 1 } }],
    [{ agents: { a: { limits: { maxSteps: 0 } } } }],
    [{ agents: { 'two words': {} } }],
    [{ models: { local: { api: 'letters' } } }],
    [{ policy: { approve: 'maybe' } }],
    [{ modle: 'a/b' }],
  ])('refuses %j, as the check does', (config) => {
    expect(() => checkConfig(config, 'test')).toThrow();
    expect(isValid(config)).toBe(false);
  });

  it('has the text and the default of every field', () => {
    for (const { path, default: value } of configFields()) {
      const node = path
        .split('.')
        .reduce<Node | undefined>((inner, key) => inner?.properties?.[key], schema as Node);
      expect(node?.description, path).toMatch(/\S/);
      expect(node?.description, path).not.toMatch(/\]\(/);
      expect(node?.default, path).toEqual(value);
    }
  });

  it('leaves out what only a program can bring', () => {
    expect(isValid({ hooks: {} })).toBe(false);
    expect(isValid({ tools: { define: [] } })).toBe(false);
  });

  it('is what detent config schema prints', async () => {
    const workspace = await bareWorkspace();
    const { code, stdout } = await workspace.detent(['config', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(schema);
  });
});
