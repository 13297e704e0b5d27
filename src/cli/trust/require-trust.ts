import { realpathSync } from 'node:fs';
import { DetentError } from '../../protocol/error.ts';
import type { Io } from '../terminal/io.ts';
import { judgeFolder, type Verdict } from './judge-folder.ts';
import { foreignPlaces } from './places.ts';
import { isOwned, TrustRecords } from './records.ts';
import { sha256 } from './regular-file.ts';
import type { Survey, SurveyedFolder } from './survey.ts';

/** What the code of a configuration may load, by the agreement of a person. */
export interface AgreedCode {
  /** The folder whose files must be among `files`; its real path. */
  folder: string;
  /** SHA-256 by real path. */
  files: ReadonlyMap<string, string>;
  /** Whether the code computes names of files, which nobody could list before. */
  isOpen: boolean;
}

/** What of a folder a person agreed to: these bytes are used, and not read again. */
interface AgreedFolder extends AgreedCode {
  /** The text of `.mcp.json`; null when there is none. */
  mcpFile: string | null;
}

type Place = Pick<Io, 'env'>;

/** Whether this process trusts whatever lies in the folder: by --trust, or by DETENT_TRUST=1. It is never kept. */
export function trustsAll(isFlagSet: boolean, { env }: Place): boolean {
  const { DETENT_TRUST: variable } = env;
  if (variable !== undefined && variable !== '' && variable !== '1')
    throw new DetentError(
      'INVALID_CONFIG',
      `the variable DETENT_TRUST is 1 or not set, not ${JSON.stringify(variable)}`,
      { details: { variable: 'DETENT_TRUST' } },
    );
  return isFlagSet || variable === '1';
}

/**
 * Has a person agree to what the folder brings, unless somebody who may has done so.
 *
 * @param isFlagSet whether --trust was given
 * @returns what was agreed to; null where this process trusts everything
 * @throws DetentError `NOT_TRUSTED`, and as {@link judgeFolder} does.
 */
export async function requireTrust(
  opened: SurveyedFolder,
  isFlagSet: boolean,
  io: Io,
): Promise<AgreedFolder | null> {
  if (trustsAll(isFlagSet, io)) return null;
  const verdict = await judgeFolder(opened);
  if (!verdict.isTrusted) {
    const { askForTrust, notTrusted } = await import('./ask-for-trust.ts');
    if (!io.isAttended()) throw notTrusted(verdict, opened.workspace, io);
    await askForTrust(verdict, io);
  }
  return agreedFolder(verdict.survey);
}

/**
 * The same for a database that only the loaded configuration names.
 *
 * @throws DetentError `NOT_TRUSTED`.
 */
export async function requireTrustedDatabase(
  opened: SurveyedFolder,
  isFlagSet: boolean,
  io: Io,
): Promise<void> {
  if (trustsAll(isFlagSet, io)) return;
  const { workspace, env } = opened;
  const places = await foreignPlaces(opened);
  if (places.length === 0) return;
  const folder = realpathSync(workspace);
  const survey: Survey = { folder, files: {}, texts: {}, wants: [], places, code: null, mcp: null };
  const before = new TrustRecords(env).folder(folder);
  if (isOwned(before)) {
    const { judgeOwn } = await import('./own-folder.ts');
    if (
      (await judgeOwn(opened, { ...survey, files: before.files, texts: before.texts }, before)).length === 0
    )
      return;
  }
  const { askForTrust, notTrusted } = await import('./ask-for-trust.ts');
  const verdict: Verdict = { survey, before: null, isTrusted: false, why: [] };
  if (!io.isAttended()) throw notTrusted(verdict, workspace, io);
  await askForTrust(verdict, io);
}

function agreedFolder({ folder, code, mcp }: Survey): AgreedFolder {
  const files = code?.files ?? [];
  return {
    folder,
    files: new Map(files.map(({ path, bytes }) => [path, sha256(bytes)])),
    isOpen: code !== null && code.computed.length > 0,
    mcpFile: mcp?.bytes.toString('utf8') ?? null,
  };
}
