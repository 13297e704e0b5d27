import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { startOwnThread } from '../../text/files.ts';
import type { LocalCode } from '../code/local-code.ts';
import type { FileBytes } from '../code/regular-file.ts';
import { judgeFolder } from '../judge-folder.ts';
import { isOwned, type OwnedFolder, TrustRecords } from '../records.ts';
import { type SurveyedFolder, surveyFolder } from '../survey/survey.ts';

/**
 * Returns what performs the calls of tools that may write. Tools write as the same user as the person, so in a folder of the
 * person's own nothing that changes during a call counts as the person's change.
 *
 * @param open reads the folder as it is
 */
export function watchingTools(
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
  open: () => Promise<SurveyedFolder>,
): <T>(work: () => Promise<T>) => Promise<T> {
  return async (work) => {
    const call = await begin();
    try {
      return await work();
    } finally {
      await end(call).catch(() => {
        // The call stays on record, and the next change asks.
      });
    }
  };

  /** @throws DetentError `TRUST_NOT_KEPT`: nothing would tell what the call changes. */
  async function begin(): Promise<string | null> {
    const folder = ownFolder()?.folder;
    if (folder === undefined) return null;
    // What the person has changed by now is theirs. Where that cannot be told, it is asked about later.
    await anew()
      .then(judgeFolder)
      .catch(() => null);
    const call = `${folder} ${randomUUID()}`;
    new TrustRecords(env).keepCall({ call, folder, pid: process.pid, at: now() });
    return call;
  }

  async function end(call: string | null): Promise<void> {
    const records = new TrustRecords(env);
    if (ownFolder() !== null) {
      const { isAsOwned } = await import('../own/own-folder.ts');
      const survey = await anew()
        .then(surveyFolder)
        .catch(() => null);
      const before = ownFolder();
      if (before && !(survey && isAsOwned(survey, before)))
        records.keepCall({ call: before.folder, folder: before.folder, pid: null, at: now() });
    }
    if (call !== null) records.forgetCall(call);
  }

  /** By now this process may have loaded code of the folder. */
  async function anew(): Promise<SurveyedFolder> {
    return { ...(await open()), findCode: findCodeAnew, again: anew };
  }

  /** Null where the folder is not the person's own, or nothing can say so. */
  function ownFolder(): OwnedFolder | null {
    try {
      const record = new TrustRecords(env).folder(realpathSync(workspace));
      return isOwned(record) ? record : null;
    } catch {
      return null;
    }
  }
}

const now = () => new Date().toISOString();

/**
 * As `findLocalCode`, in a thread of its own. Once a process has loaded the code of a folder, Node remembers where links and
 * packages led then, and its hooks refuse what is new.
 *
 * @throws what that throws.
 */
async function findCodeAnew(entries: readonly FileBytes[]): Promise<LocalCode> {
  const worker = startOwnThread('src/trust/code/code-thread');
  worker.ref();
  try {
    worker.postMessage(entries);
    const [code] = (await once(worker, 'message')) as [LocalCode];
    const files = code.files.map(({ path, bytes }) => ({ path, bytes: Buffer.from(bytes) }));
    return { ...code, files };
  } finally {
    await worker.terminate();
  }
}
