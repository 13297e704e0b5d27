import { isObject, parseArguments } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { normalPath, type PathMatcher } from '../files/glob.ts';

/** Tools whose argument `path` names the file or folder. */
const readers: ReadonlySet<string> = new Set(['read_file', 'list_files', 'write_file', 'edit_file']);
/** Tools that may read any file of the workspace. */
const searchers: ReadonlySet<string> = new Set(['grep', 'shell', 'shell_output']);

type IsUntrusted = (name: string, tool: Tool | undefined, raw: string) => boolean;

/**
 * Tells whether the result of a call is untrusted text: by the tool's own declaration, for every MCP server, and for
 * files that the configuration names. A tool that no longer exists counts as untrusted.
 *
 * @param matchers match files of the workspace.
 */
export function untrustedBy(matchers: readonly PathMatcher[]): IsUntrusted {
  const isNamed = (path: unknown): boolean => {
    if (typeof path !== 'string') return false;
    const segments = normalPath(path)
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.');
    // A path may be absolute, and this code does not know where the workspace begins in it: try every suffix.
    return segments.some((_, from) => matchers.some((matches) => matches(segments.slice(from))));
  };
  return (name, tool, raw) => {
    if (!tool) return true;
    if (matchers.length > 0 && searchers.has(name)) return true;
    const mayBeNamed = matchers.length > 0 && readers.has(name);
    if (!mayBeNamed && !tool.untrusted) return name.startsWith('mcp__');
    const args = parseArguments(raw);
    if (mayBeNamed && isObject(args) && isNamed(args.path)) return true;
    try {
      return tool.untrusted ? tool.untrusted(args) !== false : name.startsWith('mcp__');
    } catch {
      return true;
    }
  };
}
