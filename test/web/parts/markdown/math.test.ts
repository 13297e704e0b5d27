import { h, type VNode } from 'preact';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../../web/src/parts/markdown/blocks.ts';
import { drawMath } from '../../../../web/src/parts/markdown/draw-math.ts';
import { ownMs } from '../../../support/own-time.ts';

interface Found {
  type: string;
  text?: string;
  isDisplayed?: boolean;
  tokens?: Found[];
}

function formulasOf(text: string): string[] {
  const found: string[] = [];
  const look = ({ type, text: tex = '', isDisplayed, tokens = [] }: Found) => {
    if (type === 'math') found.push(isDisplayed ? `display ${tex}` : tex);
    tokens.forEach(look);
  };
  for (const { token } of blocksOf(text)) if (token) look(token as Found);
  return found;
}

describe('a formula in Markdown', () => {
  it.each([
    ['so $x^2$ and \\(y_1\\) are', ['x^2', 'y_1']],
    ['$$\na = b\n- c\n$$\n\nnext', ['display a = b\n- c']],
    ['Thus:\n\\[ \\frac{1}{2} \\]\n', ['display \\frac{1}{2}']],
    ['**bold $a*b$ and $c*d$**', ['a*b', 'c*d']],
    ['it costs $5 and $10, or US$5 (A$7), $5-$10', []],
    ['`$x$` and $HOME/bin:$PATH', []],
    ['\\(see below\\) and \\[note\\]', []],
    ['```\n$$x$$\n```', []],
    ['an open $x and $$y', []],
  ])('%j has %j', (text, formulas) => {
    expect(formulasOf(text)).toEqual(formulas);
  });

  it('is read in a moment, however many beginnings have no end', () => {
    for (const unit of ['$', '$x ', '$$', '\\(', '\\[', '\\(\\', '$\\', '$$\n\n']) {
      const text = unit.repeat(Math.floor(9_990 / unit.length));
      expect(
        ownMs(() => blocksOf(text)),
        unit,
      ).toBeLessThan(1_000);
    }
  });
});

/** The names of all elements of a vnode, and of their attributes. */
function partsOf(vnode: VNode | null): Set<string> {
  const parts = new Set<string>();
  const look = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) look(one);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const { type, props } = node as VNode<{ children?: unknown }>;
    parts.add(String(type));
    for (const name of Object.keys(props)) parts.add(`@${name}`);
    look(props.children);
  };
  look(vnode);
  return parts;
}

describe('a drawn formula', () => {
  it('has elements of MathML alone, without styles, classes, links and ids', () => {
    const colour = String.raw`\color{red} \boxed{x} \cancel{y} \begin{aligned} a &= b \\ &= c \end{aligned} \tag{1}`;
    const parts = partsOf(drawMath(colour, true, h));
    expect([...parts]).toEqual(expect.arrayContaining(['math', 'mtable', '@display']));
    for (const part of parts) expect(part).toMatch(/^(?:m[a-z]+|@(?!style|class|id|href|src|on)[a-z]+)$/);
  });

  it.each([
    ['what leads elsewhere', String.raw`\href{javascript:alert(1)}{x}`],
    ['what names a class, an id or data', String.raw`\class{a}{x} \id{b}{y} \data{c=d}{z}`],
    ['an image', String.raw`\includegraphics{https://evil.example/a.png}`],
    ['a definition', String.raw`\def\a{\a\a}\a`],
    ['a definition with a star', String.raw`\newcommand*{\a}{x}\a`],
    ['a depth without end', `x${'^{x'.repeat(300)}${'}'.repeat(300)}`],
    ['no TeX', String.raw`\frac{`],
  ])('is not there for %s', (_, tex) => {
    expect(drawMath(tex, false, h)).toBeNull();
  });
});
