import { DetentError } from '../../protocol/error.ts';
import { nearestName } from '../../text/nearest-name.ts';

/** Names of tools by the name of their set. */
type Toolsets = Readonly<Record<string, readonly string[]>>;

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
  mcp: ['mcp__*'],
};

/** Optional tools that Detent knows by name. */
export const optionalTools: readonly string[] = ['product_search', 'order_query', 'cart_manager'];

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
