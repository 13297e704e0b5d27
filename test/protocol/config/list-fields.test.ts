import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/protocol/config/config.ts';
import { type ConfigField, configFields } from '../../../src/protocol/config/list-fields.ts';

const fields = configFields();

function at(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function goodValue({ path, kind, choices }: ConfigField): unknown {
  const number = path.endsWith('Share') ? 0.5 : 1;
  return { text: 'a/b', number, boolean: true, choice: choices[0], list: ['a'] }[kind];
}

describe('the fields that the schema tells', () => {
  it.each(fields.map((field) => [field.path, field] as const))(
    '%s takes what its kind says',
    (path, field) => {
      expect(checkConfig(at(path, goodValue(field)), 'test')).toEqual(at(path, goodValue(field)));
      expect(() => checkConfig(at(path, Symbol('none')), 'test')).toThrow(`${path}: `);
    },
  );

  it('are of every kind', () => {
    expect(new Set(fields.map(({ kind }) => kind))).toEqual(
      new Set(['text', 'number', 'boolean', 'choice', 'list']),
    );
  });

  it('leave out what is named by users, and what only a program can bring', () => {
    const paths = fields.map(({ path }) => path);
    for (const path of ['models', 'agents', 'tools.sets', 'tools.define', 'policy.confirm'])
      expect(paths.filter((known) => known === path || known.startsWith(`${path}.`))).toEqual([]);
  });
});

describe('checking a configuration', () => {
  it.each([
    [{ agents: { 'two words': {} } }, 'agents.two words: a name is'],
    [{ agents: { a: { system: '' } } }, 'agents.a.system: there is no such field'],
    [
      { agents: { a: { sistemPrompt: '' } } },
      'agents.a.sistemPrompt: there is no such field; did you mean "systemPrompt"?',
    ],
    [{ modle: 'demo/demo' }, 'modle: there is no such field; did you mean "model"?'],
    [{ models: { a: { models: { b: { contextWidow: 1 } } } } }, 'did you mean "contextWindow"?'],
    [{ log: { colour: true } }, 'log.colour: there is no such field; there are level, file'],
    [{ agents: { a: { limits: { maxSteps: 0 } } } }, 'agents.a.limits.maxSteps: '],
    [{ tools: { sets: { files: 'read_file' } } }, 'tools.sets.files: '],
    [{ tools: { allowed: [''] } }, 'tools.allowed.0: '],
    [{ limits: { maxCostUsd: 0 } }, 'limits.maxCostUsd: '],
    [{ model: '' }, 'model: '],
  ])('%j: %s', (config, message) => {
    expect(() => checkConfig(config, 'test')).toThrow(message);
  });
});
