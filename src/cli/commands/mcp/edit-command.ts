import { join } from 'node:path';
import { DetentError } from '../../../protocol/error.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { replaceFile } from '../../../text/files.ts';
import { projectFileName, readProjectFile } from '../../../tools/mcp.ts';
import { keepingTrust } from '../../../trust/agreements.ts';
import { type Flags, text, texts, usage, word } from '../../settings/flags.ts';
import { loadOptions, openFolder } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent mcp add NAME URL` or `detent mcp add NAME -- COMMAND ARGUMENTS`: writes a server into `.mcp.json`. */
export async function addServer(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'the name of the server');
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name))
    throw usage(`a name is 1 to 64 letters, digits, "_", "." or "-", not "${name}"`);
  const first = word(words, 1, 'a URL, or a command after "--",');
  const server = /^https?:\/\//.test(first) ? remote(first, words, flags) : local(words, flags);
  const { workspace, mcp = {} } = await loadOptions(flags, io);
  await edit(workspace, io, (servers) => {
    if (Object.hasOwn(servers, name) && !flags.replace)
      throw new DetentError(
        'ALREADY_EXISTS',
        `${projectFileName} already has a server "${name}"; remove it first, or add --replace`,
      );
    return { ...servers, [name]: server };
  });
  io.out(`added ${name} to ${projectFileName}\n`);
  if (!mcp.project && !mcp.allow?.includes(name))
    io.say(
      `detent: ${name} is not in use yet: add it to the configuration, as in mcp: { allow: [${JSON.stringify(name)}] }`,
    );
  return exit.ok;
}

/** `detent mcp remove NAME`. */
export async function removeServer(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'the name of a server');
  const { workspace } = await loadOptions(flags, io);
  await edit(workspace, io, ({ [name]: old, ...rest }) => {
    const names = Object.keys(rest).join(', ') || 'none';
    if (old === undefined)
      throw new DetentError('NOT_FOUND', `${projectFileName} has no server "${name}"; it has ${names}`);
    return rest;
  });
  io.out(`removed ${name} from ${projectFileName}\n`);
  return exit.ok;
}

function remote(url: string, words: readonly string[], flags: Flags): JsonObject {
  if (words.length > 2) throw usage('a server with a URL takes no arguments');
  if (texts(flags, 'env').length > 0) throw usage('--env is for a server that is a command');
  const headers = pairs(flags, 'header');
  return { type: text(flags, 'type') ?? 'http', url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function local([, command = '', ...args]: readonly string[], flags: Flags): JsonObject {
  if (text(flags, 'type') !== undefined || texts(flags, 'header').length > 0)
    throw usage('--type and --header are for a server with a URL');
  const env = pairs(flags, 'env');
  return { command, args: [...args], ...(Object.keys(env).length > 0 && { env }) };
}

/** @throws DetentError `USAGE`. */
function pairs(flags: Flags, name: string): Record<string, string> {
  return Object.fromEntries(
    texts(flags, name).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usage(`--${name} is NAME=VALUE, not "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

type Servers = Readonly<Record<string, JsonObject>>;

/** Changes the servers in the file, and keeps its other content and its indentation. */
async function edit(workspace: string, io: Io, change: (before: Servers) => Servers): Promise<void> {
  const file = join(workspace, projectFileName);
  await keepingTrust(
    workspace,
    io.env,
    () => openFolder({ workspace }, io, io.env),
    async () => {
      const before = await readProjectFile(workspace);
      const mcpServers = change(before?.servers ?? {});
      const indent = /^\{\r?\n([ \t]+)"/.exec(before?.text ?? '')?.[1] ?? '  ';
      await replaceFile(file, `${JSON.stringify({ ...before?.content, mcpServers }, null, indent)}\n`);
      return [file];
    },
  );
}
