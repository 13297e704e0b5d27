import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/tools/output/read-json.ts';

const one = { value: { a: 1 } };

describe('the JSON of an answer', () => {
  it.each([
    ['is the whole text', '{"a":1}'],
    ['is the whole text, with white space and a byte order mark', '\uFEFF {"a":1}\n'],
    ['stands behind thoughts', '<think>{"a":2}</think>\n{"a":1}'],
    ['is a fenced block', '```json\n{"a":1}\n```'],
    ['is a fenced block without a language', '```\r\n{"a":1}\r\n```'],
    ['is a fenced block that ends behind its last line', 'Here: \n  ```  json\n{"a":1}```  \n{ok}'],
    ['is the one fenced block that is JSON', 'Run\n```sh\nls\n```\nand get\n```json\n{"a":1}\n```\nBye'],
    ['stands between words', 'Here it is: {"a":1}. Anything else?'],
  ])('%s', (_, text) => expect(readJson(text)).toEqual(one));

  it('is a list, or a text, where that is all there is', () => {
    expect(readJson('Sure: [1, 2]!')).toEqual({ value: [1, 2] });
    expect(readJson('"hello"')).toEqual({ value: 'hello' });
    expect(readJson('null')).toEqual({ value: null });
  });

  it('is the whole text rather than what stands in it', () => {
    expect(readJson('"```json\\n{}\\n```"')).toEqual({ value: '```json\n{}\n```' });
  });

  it.each([
    ['no text', ' \n', /no text/],
    ['thoughts alone', '<think>{"a":1}</think>', /no text/],
    ['words', 'I cannot', /not JSON/],
    ['two fenced blocks', '```json\n{"a":1}\n```\n```json\n{"a":2}\n```', /not JSON/],
    ['a fence and a million spaces', `\`\`\`${' '.repeat(1e6)}x`, /not JSON/],
    ['a fenced block of a million spaces', `\`\`\`\n${' '.repeat(1e6)}x`, /not JSON/],
    ['many fences that open', `${'```json\n'.repeat(1e5)}x`, /not JSON/],
    ['half of it', '{"a":', /not JSON/],
    ['two objects between words', 'either {"a":1} or {"a":2}', /not JSON/],
    ['too many levels', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, /more than 100 levels/],
  ])('is not in %s', (_, text, problem) => {
    expect(readJson(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
