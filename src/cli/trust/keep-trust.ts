import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { keepTrust } from './ask-for-trust.ts';
import { judgeFolder } from './require-trust.ts';
import type { SurveyedFolder } from './survey.ts';

/**
 * Lets a command of Detent's own change files of a folder. What was trusted before stays trusted: a person gave the
 * command. Other changes in the meantime are not covered.
 *
 * @param open reads the folder as it is
 * @param change writes the files, and returns their paths
 */
export async function keepingTrust(
  workspace: string,
  open: () => Promise<SurveyedFolder>,
  change: () => Promise<readonly string[]> | readonly string[],
): Promise<void> {
  const before = existsSync(workspace) ? await judgeFolder(await open()) : null;
  const written = new Set((await change()).map((path) => realpathSync(path)));
  if (before?.isTrusted === false || written.size === 0) return;
  const opened = await open();
  const { survey } = await judgeFolder(opened);
  const isOurs = ([name, hash]: [string, string]) =>
    before?.survey.files[name] === hash || written.has(isAbsolute(name) ? name : join(survey.folder, name));
  const { files, places } = survey;
  if (Object.keys(files).length > 0 && places.length === 0 && Object.entries(files).every(isOurs))
    keepTrust(survey, opened);
}
