import { describe, expect, it } from 'vitest';
import {
  blocksOf,
  type GrowingText,
  grow,
  namedHosts,
  noText,
  safeUrl,
  withoutEntities,
} from '../../../../web/src/parts/markdown/blocks.ts';

const text = `# Restock

Three teas run out:
they are *sold* fast.

1. Longjing

   in packs of 100 g

2. Dianhong

- [x] counted
- [ ] ordered

| Tea | Packs |
| --- | ---: |
| Longjing | 60 |

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

Heading below
---

> quoted
> on

The end, with 一些中文.
`;

const raws = (blocks: readonly { raw: string }[]) => blocks.map(({ raw }) => raw);
const types = (blocks: ReturnType<typeof blocksOf>) => blocks.map(({ token }) => token?.type ?? 'plain');

describe('the blocks of a text', () => {
  it('are together the text', () => {
    expect(raws(blocksOf(text)).join('')).toBe(text);
  });

  it.each([1, 2, 7, 40])('are the same when the text comes %i characters at a time', (size) => {
    let grown: GrowingText = noText;
    for (let at = size; at < text.length + size; at += size) {
      const before = grown;
      grown = grow(grown, text.slice(0, at));
      // What is finished stays as it is.
      expect(grown.finished.slice(0, before.finished.length)).toEqual(before.finished);
    }
    expect(raws([...grown.finished, ...grown.open])).toEqual(raws(blocksOf(text)));
    expect(types([...grown.finished, ...grown.open])).toEqual(types(blocksOf(text)));
  });

  it('are read again only behind those that are finished', () => {
    const long = 'A paragraph that has ended.\n\n'.repeat(500);
    const grown = grow(noText, `${long}and one that has`);
    expect(grown.open).toHaveLength(1);
    expect(grown.length).toBe(long.length);
  });

  it.each([
    ['quotes', '> '.repeat(5_000)],
    ['lists', '- '.repeat(5_000)],
    ['numbered lists', '1. '.repeat(5_000)],
    ['nested lists', Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- item`).join('\n')],
    ['brackets', '['.repeat(20_000)],
    ['image brackets', '!['.repeat(10_000)],
    ['links', '[a]('.repeat(5_000)],
    ['emphasis', '*a **a _a '.repeat(2_000)],
    ['backticks', '`'.repeat(9_999)],
    ['tildes', '~~a ~'.repeat(2_000)],
    ['angle brackets', '<a '.repeat(5_000)],
    ['html comments', '<!-- '.repeat(5_000)],
    ['table rows', `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n`],
    ['definitions', '[a]: <'.repeat(3_000)],
    ['one long word', 'a'.repeat(300_000)],
    ['autolinks', 'https://a.'.repeat(3_000)],
    ['mail', `${'a.'.repeat(4_000)}@`.repeat(2)],
    ['entities', '&'.repeat(20_000)],
    ['line ends', '\r\n'.repeat(20_000)],
    ['spaces', ' '.repeat(20_000)],
  ])('of too many %s are read in a moment', (_name, hostile) => {
    expect(raws(blocksOf(hostile)).join('').replaceAll('\n', '').length).toBeLessThanOrEqual(hostile.length);
  });
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '&#106;avascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:http://a/b',
    'ftp://a.example',
    '//evil.example/x',
    '/runs/run_1',
    '#login=x',
    'http://',
    '',
  ])('to %j leads nowhere', (href) => {
    expect(safeUrl(href)).toBe(null);
  });

  it('leads to the web and to mailboxes', () => {
    expect(safeUrl('https://a.example/?a=1&amp;b=2')?.href).toBe('https://a.example/?a=1&b=2');
    expect(safeUrl('mailto:shop@a.example')?.href).toBe('mailto:shop@a.example');
  });

  it.each([
    ['https://bank.example/login', ['bank.example']],
    ['see bank.example for more', ['bank.example']],
    ['Go to www.Bank.example.', ['www.bank.example']],
    ['https://bank.example@evil.example/x', ['bank.example', 'evil.example']],
    ['ｂａｎｋ．example and bank。example', ['bank.example', 'bank.example']],
    ['127.0.0.1:7420', ['127.0.0.1']],
    ['the order, v1.2', []],
    ['here', []],
  ])('%j names these hosts: %j', (words, hosts) => {
    expect(namedHosts(words)).toEqual(hosts);
  });
});

it('reads the entities that Markdown allows, and no others', () => {
  expect(withoutEntities('&lt;b&gt; &amp;amp; &#20013; &#x4e2d; &copy &made; &#0; &#xd800;')).toBe(
    '<b> &amp; 中 中 &copy &made; \ufffd \ufffd',
  );
});
