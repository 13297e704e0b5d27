import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentType, decodeText, htmlText, kindOf } from '../../../src/tools/http/content.ts';

const base = new URL('https://site.example/dir/page');
const never = new AbortController().signal;
const textOf = async (html: string) => (await htmlText(html, base, never)).text;

describe('text of a page', () => {
  it('keeps headings, paragraphs, lists, tables, code and links', async () => {
    const html = `<html><head><title>A &amp; B</title><style>p { color: red }</style></head><body>
      <h1>Top</h1><p>One <b>bold</b>
        word.<br>Next line &lt;tag&gt;.</p>
      <ul><li>first<li>second <ul><li>inner</li></ul></li></ul>
      <ol><li>one</li><li>two</li></ol>
      <table><tr><th>Name</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table>
      <pre>if (x)
    y();</pre>
      <p>See <a href="../other?a=1&amp;b=2">the other</a>, <a href="#here">here</a>,
      <a href="javascript:alert(1)">nowhere</a>. <img src="x.png" alt="A cat"></p>
      <script>alert(1)</script></body></html>`;
    expect(await htmlText(html, base, never)).toEqual({
      title: 'A & B',
      isCut: false,
      text: [
        '# Top',
        '',
        'One bold word.',
        'Next line <tag>.',
        '',
        '- first',
        '- second',
        '  - inner',
        '',
        '1. one',
        '2. two',
        '',
        'Name | Price',
        'Tea | 3',
        '',
        '```',
        'if (x)',
        '    y();',
        '```',
        '',
        'See [the other](https://site.example/other?a=1&b=2), here, nowhere. [image: A cat]',
      ].join('\n'),
    });
  });

  it('leaves out what a page hides', async () => {
    const html =
      '<p>seen</p><p hidden>a</p><div style="color:red; display : none">b<p>c</div><span aria-hidden=true>d</span>' +
      '<noscript>e</noscript><template>f</template><!-- g --><p>seen too';
    expect(await textOf(html)).toBe('seen\n\nseen too');
  });

  it('continues after tags that are never closed or never opened', async () => {
    expect(await textOf('</div></ul><b><i>one</p></table><li>two</a>')).toBe('one\n\n- two');
  });

  it('leaves a page that nests too deeply, and keeps what came before', async () => {
    const page = await htmlText(`<p>before</p>${'<div>'.repeat(200_000)}deep`, base, never);
    expect(page).toEqual({ title: '', text: 'before', isCut: true });
  });

  it.each([
    '<a '.repeat(100_000),
    `<a ${'x '.repeat(200_000)}`,
    '<!--'.repeat(100_000),
    '&amp'.repeat(100_000),
    '<'.repeat(300_000),
    '</p>'.repeat(100_000),
    '<li>'.repeat(50_000),
    '<a href=x>'.repeat(20_000),
    '<p><a href=x>'.repeat(20_000),
    'a<b></b> '.repeat(50_000),
  ])('ends for %.20s…', async (html) => {
    expect(await htmlText(html, base, never)).toBeDefined();
  });

  it('stops when the signal aborts', async () => {
    await expect(htmlText('<p>x', base, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });

  it('never throws, and never shows a script, whatever the page', async () => {
    const tags = fc.constantFrom(
      '<p>',
      '</p>',
      '<pre>',
      '</pre>',
      '<li>',
      '<ul>',
      '</ul>',
      '<td>',
      '<a href=x>',
      '</a>',
      '<br>',
      '<title>',
      '</title>',
      '<script>secret</script>',
      '<head>',
      '</head>',
      'text ',
      ' ',
      '&lt;',
      '\n',
      '<h2>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tags, { maxLength: 40 }), async (parts) => {
        expect(await textOf(parts.join(''))).not.toMatch(/secret(?!<)/);
      }),
      { examples: [[['<title>', 'text ']]] },
    );
  });
});

describe('character sets', () => {
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  const meta = (tag: string) => Buffer.concat([Buffer.from(`<html><head>${tag}</head>`), gbk]);

  it.each([
    ['the header', gbk, 'gbk', '你好'],
    ['the header over the page', meta('<meta charset=utf-8>'), 'gb2312', '你好'],
    ['a meta tag', meta('<meta charset="gbk">'), undefined, '你好'],
    [
      'the older meta tag',
      meta('<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'),
      undefined,
      '你好',
    ],
    [
      'an XML declaration',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="GBK"?>'), gbk]),
      undefined,
      '你好',
    ],
    ['a byte order mark over all else', Buffer.from('\ufeff你好'), 'gbk', '你好'],
    ['a byte order mark of UTF-16', Buffer.from('\ufeff你好', 'utf16le'), undefined, '你好'],
    ['nothing: UTF-8', Buffer.from('你好'), undefined, '你好'],
    ['nothing: Windows-1252', Buffer.from([0x63, 0x61, 0x66, 0xe9]), undefined, 'café'],
    ['a label that nobody knows', Buffer.from('你好'), 'klingon', '你好'],
    ['a wrong label: damaged, not lost', Buffer.from([0x61, 0xff, 0x62]), 'utf-8', 'a\ufffdb'],
  ])('by %s', (_, bytes, charset, text) => {
    expect(decodeText(bytes, charset).endsWith(text)).toBe(true);
    expect(decodeText(bytes, charset)).not.toContain('\ufeff');
  });
});

describe('content types', () => {
  it.each([
    ['text/html; charset=GBK', 'html', 'GBK'],
    ['Application/XHTML+xml', 'html', undefined],
    ['application/problem+json', 'text', undefined],
    ['application/json;charset="utf-8"', 'text', 'utf-8'],
    ['text/markdown', 'text', undefined],
    ['image/svg+xml', 'text', undefined],
    ['image/png', 'other', undefined],
    ['application/pdf', 'other', undefined],
    ['', 'unsure', undefined],
    [';;;', 'unsure', undefined],
  ])('%s is %s', (header, kind, charset) => {
    const type = contentType(header);
    expect([kindOf(type), type.charset]).toEqual([kind, charset]);
  });
});
