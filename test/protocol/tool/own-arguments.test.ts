import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownArguments } from '../../../src/protocol/tool.ts';

const text = { type: 'string', minLength: 1, maxLength: 8 } as const;

describe('the arguments of one of the own tools', () => {
  it('are compiled once, however many tools there are', async () => {
    const tools = Array.from({ length: 40 }, (_, n) => ownArguments({ [`name${n}`]: text }));
    const validateAll = async () => {
      for (const [n, tool] of tools.entries())
        expect(await tool['~standard'].validate({ [`name${n}`]: 'a' })).toEqual({
          value: { [`name${n}`]: 'a' },
        });
    };
    await validateAll();
    // A check is compiled from a copy of its schema.
    const copies = vi.spyOn(JSON, 'parse');
    onTestFinished(() => copies.mockRestore());
    await validateAll();
    expect(copies).not.toHaveBeenCalled();
  });

  describe('whose texts are trimmed', () => {
    const item = {
      type: 'object',
      properties: { words: text },
      required: ['words'],
      additionalProperties: false,
    } as const;
    const { validate } = ownArguments(
      { title: text },
      { path: text, items: { type: 'array', items: item } },
      {
        trimmed: ['title', 'items'],
        problemOf: ({ title }) => (title === 'a b' ? 'not this one' : undefined),
      },
    )['~standard'];

    it('reach the tool without white space around them, at any depth; the others as they are', async () => {
      expect(await validate({ path: ' p ', title: ' a\n', items: [{ words: ' b  c ' }] })).toEqual({
        value: { path: ' p ', title: 'a', items: [{ words: 'b  c' }] },
      });
    });

    it('are valid before and after', async () => {
      expect(await validate({ title: '         a' })).toMatchObject({ issues: [{ path: ['title'] }] });
      expect(await validate({ title: '   ' })).toMatchObject({ issues: [{ path: ['title'] }] });
      expect(await validate({ title: 'a', items: [{ words: ' ' }] })).toMatchObject({
        issues: [{ path: ['items', '0', 'words'] }],
      });
    });

    it('are trimmed before the tool says what is wrong with them together', async () => {
      expect(await validate({ title: ' a b ' })).toEqual({ issues: [{ message: 'not this one' }] });
    });
  });
});
