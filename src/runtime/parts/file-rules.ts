import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TaintedFiles } from '../../protocol/ports.ts';
import { detentHome } from '../../text/files.ts';
import type { FileRules } from '../../tools/files.ts';
import type { ServerPlace } from '../../tools/mcp.ts';
import { fileOfDatabase } from '../config/database-file.ts';
import type { DetentOptions } from '../config/detent-options.ts';

/**
 * Which files tools must not use, and which of those that this configuration names they write only with a person's
 * approval: the modules of the configuration, folders of skills, programs of MCP servers, the user's own settings.
 *
 * @param databaseFile null for a store without a file
 */
export async function fileRules(
  { guardedFiles = [], whileWriting, skills = {}, mcp, mcpFile, env = process.env }: DetentOptions,
  workspace: string,
  databaseFile: string | null,
  tainted: TaintedFiles,
): Promise<FileRules> {
  return {
    tainted,
    ...(whileWriting && { whileWriting }),
    database: fileOfDatabase(databaseFile),
    guarded: [
      ...[...guardedFiles, ...(skills.folders ?? [])].map((path) => resolve(workspace, path)),
      detentHome(env),
      ...(mcp ? await programsOf(mcp, { workspace, env, file: mcpFile }) : []),
    ],
  };
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** What a server's command line names: the program itself, and files that it may execute. */
async function programsOf(config: NonNullable<DetentOptions['mcp']>, place: ServerPlace): Promise<string[]> {
  const { listServers } = await import('../../tools/mcp.ts');
  const { servers } = await listServers(config, place);
  return servers.flatMap(({ target }) =>
    target.type === 'stdio'
      ? [target.command, ...target.args].map((word) => resolve(target.cwd, word)).filter(isFile)
      : [],
  );
}
