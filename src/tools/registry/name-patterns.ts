import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/wording.ts';
import { starMatcher } from '../files/glob.ts';

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

/** Names of tools by the name of their set. */
type Toolsets = Readonly<Record<string, readonly string[]>>;

/** The tools of a shop, which there are when one is configured. */
const shopToolNames: readonly string[] = [
  'product_search',
  'product_get',
  'order_query',
  'cart_manager',
  'checkout_link',
  'order_change',
  'customer_lookup',
  'recommend',
  'transfer_to_human',
];

/** The sets that come with Detent. */
export const builtinToolsets: Toolsets = {
  files: ['read_file', 'write_file', 'edit_file', 'list_files', 'grep'],
  math: ['calculator', 'unit_convert'],
  time: ['datetime'],
  web: ['http_get'],
  shell: ['shell', 'shell_output', 'shell_kill'],
  memory: ['memory_search', 'memory_get', 'memory_write', 'session_search'],
  plan: ['todo', 'ask_user', 'task'],
  schedule: ['schedule_job'],
  skills: ['skill'],
  shop: shopToolNames,
  mcp: ['mcp__*'],
};

/** Optional tools that Detent knows by name. */
export const optionalTools: readonly string[] = shopToolNames;

/**
 * Expands a list of tool names that may contain sets: `@files` becomes the tools of the set `files`. Removes duplicates.
 *
 * @param sets those of the configuration; they override built-in sets of the same name.
 * @throws DetentError `UNKNOWN_TOOLSET`.
 */
export function expandTools(names: readonly string[], sets: Toolsets = {}): string[] {
  const known: Toolsets = { ...builtinToolsets, ...sets };
  return [
    ...new Set(names.flatMap((name) => (name.startsWith('@') ? setNamed(name.slice(1), known) : [name]))),
  ];
}

function setNamed(name: string, known: Toolsets): readonly string[] {
  const set = Object.hasOwn(known, name) ? known[name] : undefined;
  if (set) return set;
  const names = Object.keys(known);
  const nearest = nearestName(name, names);
  throw new DetentError(
    'UNKNOWN_TOOLSET',
    `there is no tool set "@${name}"${nearest ? `; did you mean "@${nearest}"?` : ''}; there are ${names.map((known) => `@${known}`).join(', ')}`,
    { details: { name, known: names } },
  );
}
