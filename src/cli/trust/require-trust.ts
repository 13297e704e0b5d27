import { DetentError } from '../../protocol/error.ts';
import type { Io } from '../terminal/io.ts';
import { changesOf } from './changes.ts';
import { foreignPlaces } from './places.ts';
import { type TrustedFolder, TrustRecords } from './records.ts';
import { sha256 } from './regular-file.ts';
import { type Survey, type SurveyedFolder, surveyFolder } from './survey.ts';

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

export interface Verdict {
  survey: Survey;
  /** What a person agreed to before; null when there is no agreement. */
  before: TrustedFolder | null;
  isTrusted: boolean;
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

/** Judges a folder before any of its bytes act. @throws DetentError `INVALID_CONFIG`, `TRUST_UNREADABLE`. */
export async function judgeFolder(opened: SurveyedFolder): Promise<Verdict> {
  const survey = await surveyFolder(opened);
  const isEmpty = Object.keys(survey.files).length === 0;
  // Reading the records may fail; where nothing acts, nothing depends on them.
  const before = isEmpty ? null : new TrustRecords(opened.env).folder(survey.folder);
  return { survey, before, isTrusted: survey.places.length === 0 && (isEmpty || isAsAgreed(survey, before)) };
}

function isAsAgreed(survey: Survey, before: TrustedFolder | null): boolean {
  if (before === null) return false;
  const { added, removed, changed } = changesOf(survey, before);
  return added.length + removed.length + changed.length === 0;
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
  const { survey, before, isTrusted } = await judgeFolder(opened);
  if (!isTrusted) {
    const { askForTrust, notTrusted } = await import('./ask-for-trust.ts');
    if (!io.isAttended()) throw notTrusted(survey, before, opened.workspace, io);
    await askForTrust(survey, before, io);
  }
  return agreedFolder(survey);
}

/**
 * The same for a database that only the loaded configuration names.
 *
 * @throws DetentError `NOT_TRUSTED`.
 */
export async function requireTrustedDatabase(
  { workspace, database, env }: SurveyedFolder,
  isFlagSet: boolean,
  io: Io,
): Promise<void> {
  if (trustsAll(isFlagSet, io)) return;
  const places = await foreignPlaces({ workspace, database, env });
  if (places.length === 0) return;
  const { askForTrust, notTrusted } = await import('./ask-for-trust.ts');
  const survey: Survey = {
    folder: workspace,
    files: {},
    texts: {},
    wants: [],
    places,
    code: null,
    mcp: null,
  };
  if (!io.isAttended()) throw notTrusted(survey, null, workspace, io);
  await askForTrust(survey, null, io);
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
