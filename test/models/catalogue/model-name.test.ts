import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullModelName, parseModelName } from '../../../src/models/catalogue/model-name.ts';
import { presetName } from '../../../src/models/catalogue/presets.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);

describe('the name of a model', () => {
  it('is split at its first "/": the rest is the provider’s own id', () => {
    fc.assert(
      fc.property(word, fc.stringMatching(/^[a-z][a-z0-9/:.-]{0,20}$/), (provider, model) => {
        fc.pre(presetName(provider) === provider);
        expect(parseModelName(`${provider}/${model}`)).toEqual({ provider, model });
        expect(fullModelName(`${provider}/${model}`, {})).toBe(`${provider}/${model}`);
      }),
    );
  });

  it('without a provider is completed exactly when one provider lists it', () => {
    const tables = fc.dictionary(
      word,
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '*'), { maxLength: 4 }).map((ids) => ({
        models: Object.fromEntries(ids.map((id) => [id, {}])),
      })),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(tables, fc.constantFrom('a', 'b', 'c', '*'), (tables, name) => {
        const having = Object.keys(tables).filter(
          (provider) => name !== '*' && name in (tables[provider]?.models ?? {}),
        );
        const complete = () => fullModelName(name, tables);
        if (having.length === 1) expect(complete()).toBe(`${having[0]}/${name}`);
        else
          expect(complete).toThrow(
            expect.objectContaining({ code: having.length === 0 ? 'UNKNOWN_MODEL' : 'AMBIGUOUS_MODEL' }),
          );
      }),
    );
  });

  it.each(['', '/', 'a/', '/a', 'gpt-5'])('is not "%s"', (name) => {
    expect(() => parseModelName(name)).toThrow(expect.objectContaining({ code: 'UNKNOWN_MODEL' }));
  });
});
