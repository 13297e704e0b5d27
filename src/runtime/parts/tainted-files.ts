import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { taintAtCall } from '../../call/policy.ts';
import { notFound } from '../../engine/commit.ts';
import type { TaintedFiles } from '../../protocol/ports.ts';
import { type Ask, request } from '../../store/program.ts';
import type { TaintedFile } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { callNumber } from '../../store/stored-call.ts';
import { hex, sha256 } from '../../text/ids.ts';

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
