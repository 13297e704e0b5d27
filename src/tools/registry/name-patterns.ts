import { starMatcher } from '../../text/star-matcher.ts';

/**
 * A predicate for the tools that a list names. `*` in a name matches any characters: `mcp__github__*`.
 *
 * @example
 * ```ts
 * const isNamed = toolMatcher(['read_file', 'mcp__github__*']);
 * isNamed('mcp__github__search'); // true
 * ```
 */
export function toolMatcher(names: readonly string[]): (tool: string) => boolean {
  const exact = new Set(names);
  const patterns = names.filter(isPattern).map(starMatcher);
  return (tool) => exact.has(tool) || patterns.some((fits) => fits(tool));
}

function isPattern(name: string): boolean {
  return name.includes('*');
}

/** The intersection of two lists; a pattern counts as in a list that has a pattern covering it. */
export function namedByBoth(one: readonly string[], other: readonly string[]): string[] {
  const inOne = toolMatcher(one);
  const inOther = toolMatcher(other);
  return [...new Set([...one.filter(inOther), ...other.filter(inOne)])];
}

/** Whether the list can name a tool that begins with `prefix`. */
export function namesPrefix(names: readonly string[], prefix: string): boolean {
  return names.some((name) => {
    const known = name.split('*', 1)[0] ?? '';
    return isPattern(name) ? known.startsWith(prefix) || prefix.startsWith(known) : name.startsWith(prefix);
  });
}
