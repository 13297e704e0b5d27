import type { ComponentChildren, h, VNode } from 'preact';
import temml from 'temml';
import { visibleProse } from '../visible.ts';

/** A node of the tree that Temml makes; a text has no `type`. */
interface MathNode {
  type?: string;
  text?: string;
  attributes?: Readonly<Record<string, unknown>>;
  children?: readonly MathNode[];
}

/** What a formula may consist of. All else of it is drawn as what is in it. */
const elements = new Set(
  'math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'.split(
    ' ',
  ),
);
const attributes = new Set(
  'accent accentunder columnalign columnspan depth display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
);
const maxDepth = 60;
/** A formula of an answer defines nothing: a definition could make a page of a line. */
const defining =
  /\\(?:[exg]?def|let|futurelet|(?:re|provide)?newcommand|renewcommand|providecommand|global)(?![a-zA-Z])/;

// Its types name this otherwise.
const { __renderToMathMLTree: treeOf } = temml as unknown as {
  __renderToMathMLTree(tex: string, options: object): MathNode;
};

const options = { throwOnError: true, trust: false, maxExpand: 100, maxSize: [8, 40] };

/**
 * A formula in TeX as MathML, of known elements and attributes alone; null for what is no TeX, or too deep.
 *
 * @param make Preact's, handed over: an import of it would make a file of its own of Preact, in every first load
 */
export function drawMath(tex: string, isDisplayed: boolean, make: typeof h): VNode | null {
  if (defining.test(tex)) return null;
  try {
    return element(treeOf(tex, { ...options, displayMode: isDisplayed }), 0, make);
  } catch {
    return null;
  }
}

function element(
  { type = '', attributes: given = {}, children = [] }: MathNode,
  depth: number,
  make: typeof h,
): VNode {
  if (depth > maxDepth) throw new RangeError('a formula that is nested too deep');
  const known = Object.entries(given).filter(([name]) => attributes.has(name));
  const drawn = children.map(
    (child): ComponentChildren =>
      child.type === undefined && typeof child.text === 'string'
        ? visibleProse(child.text)
        : element(child, depth + 1, make),
  );
  return make(elements.has(type) ? type : 'mrow', Object.fromEntries(known), drawn);
}
