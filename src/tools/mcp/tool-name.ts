import { hex, sha256 } from '../../text/ids.ts';

const maxChars = 64;
const digestChars = 8;

/** The common prefix of the names of all tools of a server, shortened names included. */
export function toolPrefix(server: string): string {
  return `mcp__${safe(server).slice(0, 32)}__`;
}

/**
 * The name under which a model calls a server's tool: `mcp__server__tool`, with characters and a length that all
 * providers accept. A name that had to be changed ends with a digest of both names, so that it is unique and does not
 * depend on other servers and tools.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const isPlain =
    plain === safe(plain) &&
    plain.length <= maxChars &&
    plain.startsWith(toolPrefix(server)) &&
    tool !== '' &&
    // Otherwise `a_` with `b` and `a` with `_b` would get the same name.
    !server.includes('__') &&
    !server.endsWith('_');
  if (isPlain) return plain;
  const digest = hex(sha256(`${server}\0${tool}`)).slice(0, digestChars);
  const room = maxChars - digestChars - 1;
  return `${`${toolPrefix(server)}${safe(tool)}`.slice(0, room)}_${digest}`;
}

function safe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}
