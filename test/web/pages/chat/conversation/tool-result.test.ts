import { describe, expect, it } from 'vitest';
import { shortArguments } from '../../../../../web/src/pages/chat/conversation/tool-args.ts';
import { shownResult } from '../../../../../web/src/pages/chat/conversation/tool-result.ts';

describe('the result of a tool', () => {
  it('is a table when it is a list of plain objects, with the values beside it', () => {
    expect(shownResult('[{"tea":"a","packs":1},{"tea":"b","left":null}]')).toEqual({
      as: 'table',
      columns: ['tea', 'packs', 'left'],
      rows: [
        { tea: 'a', packs: 1 },
        { tea: 'b', left: null },
      ],
      facts: '',
    });
    expect(shownResult('{"total":2,"rows":[{"tea":"a"}]}')).toMatchObject({ as: 'table', facts: 'total: 2' });
  });

  it.each([
    ['[]', 'json'],
    ['[1,2]', 'json'],
    ['[{"a":{"b":1}}]', 'json'],
    ['{"a":[{"x":1}],"b":[{"y":1}]}', 'json'],
    [JSON.stringify([Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, n]))]), 'json'],
    ['--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y', 'diff'],
    ['{broken', 'text'],
    ['two lines\n@@ not a hunk', 'text'],
    ['', 'nothing'],
    [' \n', 'nothing'],
    [`[${'{"a":1},'.repeat(100_000)}{"a":1}]`, 'text'],
  ])('%.30j is shown as %s', (content, as) => {
    expect(shownResult(content).as).toBe(as);
  });
});

it('says the arguments of a call in a few words', () => {
  expect(shortArguments('{"path":"a.md","content":"x\\ny"}')).toBe('a.md, content: x y');
  expect(shortArguments('{"days":7,"by":"sku","none":null}')).toBe('days: 7, by: sku');
  expect(shortArguments('{}')).toBe('');
  expect(shortArguments('no json')).toBe('no json');
  expect(shortArguments(`{"a":"${'x'.repeat(500)}"}`).length).toBeLessThan(80);
});
