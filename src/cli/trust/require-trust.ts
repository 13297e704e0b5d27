import { DetentError } from '../../protocol/error.ts';
import { unhidden } from '../../text/printable.ts';
import type { Io } from '../terminal/io.ts';
import { quoted } from '../terminal/shell-words.ts';
import { foreignPlaces, keepPlaces } from './places.ts';
import { changesOf, describeFolder, summary } from './question.ts';
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
 * @returns what its code may load; null where this process trusts everything
 * @throws DetentError `NOT_TRUSTED`, and as {@link judgeFolder} does.
 */
export async function requireTrust(
  opened: SurveyedFolder,
  isFlagSet: boolean,
  io: Io,
): Promise<AgreedCode | null> {
  if (trustsAll(isFlagSet, io)) return null;
  const { survey, before, isTrusted } = await judgeFolder(opened);
  if (!isTrusted) {
    if (!io.isAttended()) throw notTrusted(survey, before, opened.workspace, io);
    await askForTrust(survey, before, io);
  }
  return agreedCode(survey);
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
  const survey: Survey = { folder: workspace, files: {}, texts: {}, wants: [], places, code: null };
  if (!io.isAttended()) throw notTrusted(survey, null, workspace, io);
  await askForTrust(survey, null, io);
}

/** Asks, and keeps a yes. @throws DetentError `NOT_TRUSTED` for any other answer. */
export async function askForTrust(survey: Survey, before: TrustedFolder | null, io: Io): Promise<void> {
  const found = await describeFolder(survey, before);
  const title =
    before === null
      ? `${survey.folder} brings files that Detent would act on, and you have not agreed to them:`
      : `${survey.folder} has changed since you trusted it (${before.at.slice(0, 10)}):`;
  io.say(`${unhidden(title)}\n\n${found}\n`);
  const said = await io.askLine(
    'Trust this folder? Its files can then act with your rights and your keys. [y/N] ',
  );
  if (!('line' in said) || !/^\s*y(es)?\s*$/i.test(said.line))
    throw new DetentError('NOT_TRUSTED', `${survey.folder} is not trusted: nothing in it was used`);
  keepTrust(survey, io);
}

/** Keeps that a person agreed to the folder as it was surveyed. */
export function keepTrust({ folder, files, texts, places }: Survey, { env }: Place): void {
  if (Object.keys(files).length > 0)
    new TrustRecords(env).keepFolder({
      folder,
      at: new Date().toISOString(),
      files: { ...files },
      texts: { ...texts },
    });
  keepPlaces(places, { env });
}

function agreedCode({ folder, code }: Survey): AgreedCode {
  const files = code?.files ?? [];
  return {
    folder,
    files: new Map(files.map(({ path, bytes }) => [path, sha256(bytes)])),
    isOpen: code !== null && code.computed.length > 0,
  };
}

export function notTrusted(
  survey: Pick<Survey, 'folder' | 'wants' | 'places'>,
  before: TrustedFolder | null,
  workspace: string,
  { cwd }: Pick<Io, 'cwd'>,
): DetentError {
  const what = before === null ? `brings ${summary(survey)}` : 'has changed since you trusted it';
  const folder =
    workspace === cwd ? '' : ` ${/^[\w./@:+-]+$/.test(workspace) ? workspace : quoted(workspace)}`;
  return new DetentError(
    'NOT_TRUSTED',
    `${survey.folder} is not trusted: it ${what}; look at it and agree with "detent trust${folder}" on a terminal, or trust it for this command alone with --trust (or DETENT_TRUST=1)`,
    { details: { folder: survey.folder } },
  );
}
