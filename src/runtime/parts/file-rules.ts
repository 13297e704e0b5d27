import { statSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { taintAtCall } from '../../call/policy.ts';
import { notFound } from '../../engine/commit.ts';
import type { TaintedFiles } from '../../protocol/ports.ts';
import { type Ask, request } from '../../store/program.ts';
import type { TaintedFile } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { callNumber } from '../../store/stored-call.ts';
import { detentHome } from '../../text/files.ts';
import { hex, sha256 } from '../../text/ids.ts';
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

const ask: Ask<StatementsOf<'taintedFiles'>> = request;

/** The record of the files that hold untrusted text, in the store, so that all processes share it. */
export function taintedFiles(store: Store): TaintedFiles {
  return {
    async isBound({ principal: { tenantId: tenant }, runId, callId }) {
      const run = await store.query('loadRun', { tenant, id: runId });
      if (!run) throw notFound(runId);
      return (await taintAtCall(store, run, callNumber(callId))).length > 0;
    },

    async has(tenant, path, { bytes, read }) {
      const files = await store.query('listTaintedFiles', { tenant });
      if (files.some((file) => file.path === path)) return true;
      const alike = files.filter((file) => file.bytes === bytes && file.hash !== '');
      if (alike.length === 0) return false;
      const hash = hex(sha256(await read()));
      return alike.some((file) => file.hash === hash);
    },

    async listIn(tenant, folder) {
      const files = await store.query('listTaintedFiles', { tenant });
      const root = files.length === 0 ? folder : await realpath(folder).catch(() => folder);
      const there: string[] = [];
      for (const { path } of files) {
        const way = relative(root, path).split(sep);
        if (way[0] !== '..' && !isAbsolute(way.join(sep)) && (await isThere(path))) there.push(way.join('/'));
      }
      return there;
    },

    async add(tenant, path, content) {
      const file: TaintedFile = {
        path,
        bytes: content?.length ?? 0,
        hash: content && content.length > 0 ? hex(sha256(content)) : '',
      };
      await store.commit(() => ask('putTaintedFile', { tenant, ...file }));
    },

    async remove(tenant, path) {
      await store.commit(() => ask('deleteTaintedFile', { tenant, path }));
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}
