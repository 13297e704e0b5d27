import { createHash } from 'node:crypto';

const maxChars = 64;
const digestChars = 8;

/** What the names of all tools of a server begin with, whether or not they are shortened. */
export function toolPrefix(server: string): string {
  return `mcp__${safe(server).slice(0, 32)}__`;
}

/**
 * The name under which a model calls a server's tool: `mcp__server__tool`, in the letters and the length that all
 * providers take. Where it would not be the plain one, a digest of both names ends it, so that it does not depend on
 * what other servers and tools there are, and two tools do not come to share one.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const isPlain =
    plain === safe(plain) &&
    plain.length <= maxChars &&
    plain.startsWith(toolPrefix(server)) &&
    tool !== '' &&
    // Else `a_` with `b` and `a` with `_b` would meet.
    !server.includes('__') &&
    !server.endsWith('_');
  if (isPlain) return plain;
  const digest = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, digestChars);
  const room = maxChars - digestChars - 1;
  return `${`${toolPrefix(server)}${safe(tool)}`.slice(0, room)}_${digest}`;
}

function safe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
