import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { inSizes } from '../../support/size.ts';
import { ask, toolSpecs, user } from './support.ts';

/** Pieces of real requests, so that random text gets deep into the rules. */
const fragments = [
  'read ',
  'write ',
  'convert ',
  'list the files in ',
  'in ',
  ' to ',
  ' with ',
  ' and ',
  ' then ',
  'a.txt',
  '"',
  "'",
  '“',
  '”',
  '(',
  '12',
  '+',
  '*',
  '.',
  ',',
  '，',
  ' ',
  '\n',
  '?',
  'the file ',
  'first 3 lines of ',
  '把 ',
  '换算成',
  '写入',
  '读取',
  '的平方',
  '百分之',
  '一',
  '公里',
  '等于多少',
  'what time is it',
  ' in Tokyo',
  '列出',
  '文件',
  '目录',
  '👋',
  '\uD800',
  '\0',
  'please ',
  'what do you remember about ',
  'remember that ',
  'what is detent ',
  '关于 ',
  '记得',
  '什么',
];
const sentence = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join(''));
const anyText = fc.oneof(sentence, fc.string({ unit: anyCharacter, maxLength: 300 }));

/** Every pattern that searches for something gets its worst: 100 KB, and the longest that the demo still reads. */
const hostile = fragments.flatMap((fragment) =>
  [100_000, 2_000].flatMap((size) =>
    ['', 'write "', 'list the files in ', '把', '读取', 'what is '].map((opening) =>
      `${opening}${fragment.repeat(Math.ceil(size / fragment.length))}`.slice(0, size),
    ),
  ),
);

const anyMessage: fc.Arbitrary<PromptMessage> = fc.oneof(
  anyText.map((text) => user(text)),
  fc.record({
    role: fc.constant('assistant' as const),
    text: anyText,
    reasoning: fc.constant(''),
    toolCalls: fc.array(fc.record({ id: fc.constantFrom('', 'a', 'b'), name: anyText, arguments: anyText }), {
      maxLength: 3,
    }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    toolCallId: fc.constantFrom('', 'a', 'b'),
    name: fc.oneof(fc.constantFrom(...toolSpecs().map(({ name }) => name)), anyText),
    text: anyText,
    isError: fc.boolean(),
  }),
);

const histories = inSizes({ usual: 150, deep: 500, full: 1_000 });

describe('demo robustness', () => {
  it('answers any text, and calls only tools that are offered', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.subarray(toolSpecs().map(({ name }) => name)), async (text, tools) => {
        const answer = await ask([user(text)], { tools });
        expect(answer.error).toBeNull();
        expect(answer.text).not.toBe('');
        for (const { name } of answer.toolCalls) expect(tools).toContain(name);
      }),
      { numRuns: 2 * histories },
    );
  });

  it('answers any history with words or calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 8 }), async (messages) => {
        const { text, toolCalls, error } = await ask(messages);
        expect(error).toBeNull();
        expect(text !== '' || toolCalls.length > 0).toBe(true);
      }),
      { numRuns: histories },
    );
  });

  it('ends with text after one round of calls, whatever the tools say', async () => {
    await fc.assert(
      fc.asyncProperty(sentence, anyText, fc.boolean(), async (text, result, isError) => {
        const messages: PromptMessage[] = [user(text)];
        for (let round = 0; round < 3; round++) {
          const answer = await ask(messages);
          if (answer.toolCalls.length === 0) return;
          expect(round).toBeLessThan(1);
          messages.push({ role: 'assistant', text: answer.text, reasoning: '', toolCalls: answer.toolCalls });
          for (const { id, name } of answer.toolCalls)
            messages.push({ role: 'tool', toolCallId: id, name, text: result, isError });
        }
      }),
      { numRuns: histories },
    );
  });

  // A pattern that runs away on one of these would outlive the test's time-out.
  it('reads hostile text of 100 KB', { timeout: 60_000 }, async () => {
    for (const text of hostile) expect((await ask([user(text)])).error).toBeNull();
  });
});
