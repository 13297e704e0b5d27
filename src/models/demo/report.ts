import type { Language } from './language.ts';
import { phrases } from './phrases.ts';
import { ruleFor } from './rules/index.ts';
import type { ToolResult } from './turn.ts';

const maxQuotedLength = 1_500;
const rejection = /\b(?:reject(?:ed|s|ion)?|declined)\b|拒绝/i;

/** Says in one paragraph what became of a call, quoting the tool's own words. */
export function report(result: ToolResult, language: Language): string {
  const { tool, args, isError } = result;
  const say = phrases[language];
  const rule = ruleFor(tool);
  const said = isError ? result.text : (rule?.readable?.(result.text) ?? result.text);
  const text = cut(said.trimEnd() || say.nothing, language);
  if (isError) return rejection.test(text) ? say.rejected(tool, text) : say.failed(tool, text);
  const title = rule?.title(args, language) ?? `${tool}: `;
  return text.includes('\n') ? `${title.trimEnd()}\n${fenced(text)}` : `${title}${text}`;
}

function cut(text: string, language: Language): string {
  if (text.length <= maxQuotedLength) return text;
  // Not in the middle of a surrogate pair.
  const head = text.slice(0, maxQuotedLength).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n${phrases[language].cut}`;
}

function fenced(text: string): string {
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}\n${text}\n${fence}`;
}
