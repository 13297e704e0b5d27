import type { TokenizerExtension, Tokens } from 'marked';

/** A formula in TeX, within a text of Markdown. */
export interface MathToken extends Tokens.Generic {
  type: 'math';
  raw: string;
  /** The TeX alone. */
  text: string;
  isDisplayed: boolean;
}

/** Of one formula. What is longer stays as it is written, and costs no second look. */
const maxTex = 2_000;

// Each has an end that its content cannot have, so that none is read twice. A price is no formula: "$5 and $10".
const displayed = [
  new RegExp(`^\\$\\$([^$]{1,${maxTex}})\\$\\$`),
  new RegExp(`^\\\\\\[((?:[^\\\\]|\\\\[^\\]]){1,${maxTex}})\\\\\\]`),
];
const inText = [
  new RegExp(`^\\$(?![\\s$])((?:[^$\\\\\\n]|\\\\.){1,${maxTex}})(?<!\\s)\\$(?![\\w$])`),
  new RegExp(`^\\\\\\(((?:[^\\\\]|\\\\[^)]){1,${maxTex}})\\\\\\)`),
];

/** `\(see below\)` is a way to write brackets, too. */
const looksLikeTex = /[\\^_={}+<>]|^\S{1,3}$/;

function found(src: string, patterns: readonly RegExp[], isDisplayed: boolean): MathToken | undefined {
  for (const pattern of patterns) {
    const [raw, given] = pattern.exec(src) ?? [];
    const text = given?.trim() ?? '';
    if (raw !== undefined && text !== '' && (raw.startsWith('$') || looksLikeTex.test(text)))
      return { type: 'math', raw, text, isDisplayed };
  }
  return undefined;
}

const inline: TokenizerExtension['tokenizer'] = (src) =>
  found(src, displayed, true) ?? found(src, inText, false);

/** A formula that begins a block: its lines would be lists or headings. */
const block: TokenizerExtension['tokenizer'] = (src) => {
  const token = found(src, displayed, true);
  const [end] = /^[ \t]*(?:\n+|$)/.exec(src.slice(token?.raw.length)) ?? [];
  return token && end !== undefined ? { ...token, raw: token.raw + end } : undefined;
};

/** What the lexer knows of formulas. */
export const mathMarks = {
  renderers: {},
  childTokens: {},
  inline: [inline],
  block: [block],
  startInline: [(src: string) => src.search(/\$|\\[([]/)],
};
