import { isAsKept } from './changes.ts';
import { isOwned, type TrustedFolder, TrustRecords } from './records.ts';
import { type Survey, type SurveyedFolder, surveyFolder } from './survey.ts';

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
    const why = await (await import('./own-folder.ts')).judgeOwn(opened, survey, before);
    return { survey, before, isTrusted: why.length === 0, why };
  }
  if (isEmpty) return { survey, before: null, isTrusted: false, why: [] };
  return { survey, before, isTrusted: before !== null && isAsKept(survey, before), why: [] };
}
