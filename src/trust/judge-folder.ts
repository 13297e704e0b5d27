import { realpathSync } from 'node:fs';
import { hex, sha256 } from '../text/ids.ts';
import { isAsKept } from './own/changes.ts';
import { foreignPlaces } from './places.ts';
import { isOwned, type TrustedFolder, TrustRecords } from './records.ts';
import { type Survey, type SurveyedFolder, surveyFolder } from './survey/survey.ts';

export type { ConfigSource, Survey, SurveyedFolder } from './survey/survey.ts';

export interface Verdict {
  survey: Survey;
  /** What a person agreed to before; null when there is no agreement. */
  before: TrustedFolder | null;
  isTrusted: boolean;
  /** Why changes of a folder of one's own are asked about; empty for other folders. */
  why: readonly string[];
}

/** Judges a folder before any of its bytes act. @throws DetentError `INVALID_CONFIG`, `TRUST_UNREADABLE`. */
export async function judgeFolder(opened: SurveyedFolder): Promise<Verdict> {
  const survey = await surveyFolder(opened);
  const isEmpty = Object.keys(survey.files).length === 0;
  // Reading the records may fail; where nothing acts, nothing depends on them.
  if (isEmpty && survey.places.length === 0) return { survey, before: null, isTrusted: true, why: [] };
  const before = new TrustRecords(opened.env).folder(survey.folder);
  if (isOwned(before)) {
    const why = await (await import('./own/own-folder.ts')).judgeOwn(opened, survey, before);
    return { survey, before, isTrusted: why.length === 0, why };
  }
  if (isEmpty) return { survey, before: null, isTrusted: false, why: [] };
  return { survey, before, isTrusted: before !== null && isAsKept(survey, before), why: [] };
}

/** Judges a database that only the loaded configuration names. @throws DetentError `TRUST_UNREADABLE`. */
export async function judgeDatabase(opened: SurveyedFolder): Promise<Verdict> {
  const places = await foreignPlaces(opened);
  const folder = realpathSync(opened.workspace);
  const survey: Survey = { folder, files: {}, texts: {}, wants: [], places, code: null, mcp: null };
  const verdict = { survey, before: null, why: [] };
  if (places.length === 0) return { ...verdict, isTrusted: true };
  const before = new TrustRecords(opened.env).folder(folder);
  if (!isOwned(before)) return { ...verdict, isTrusted: false };
  const { judgeOwn } = await import('./own/own-folder.ts');
  const why = await judgeOwn(opened, { ...survey, files: before.files, texts: before.texts }, before);
  return { ...verdict, isTrusted: why.length === 0 };
}

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
export interface AgreedFolder extends AgreedCode {
  /** The text of `.mcp.json`; null when there is none. */
  mcpFile: string | null;
}

export function agreedFolder({ folder, code, mcp }: Survey): AgreedFolder {
  const files = code?.files ?? [];
  return {
    folder,
    files: new Map(files.map(({ path, bytes }) => [path, hex(sha256(bytes))])),
    isOpen: code !== null && code.computed.length > 0,
    mcpFile: mcp?.bytes.toString('utf8') ?? null,
  };
}
