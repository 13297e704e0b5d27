import { DetentError } from '../../protocol/error.ts';
import { unhidden } from '../../text/wording.ts';
import type { Io } from '../terminal/io.ts';
import { quoted } from '../terminal/shell-words.ts';
import { keepPlaces } from './places.ts';
import { describeFolder, summary } from './question.ts';
import { type TrustedFolder, TrustRecords } from './records.ts';
import type { Survey } from './survey.ts';

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
export function keepTrust({ folder, files, texts, places }: Survey, { env }: Pick<Io, 'env'>): void {
  if (Object.keys(files).length > 0)
    new TrustRecords(env).keepFolder({
      folder,
      at: new Date().toISOString(),
      files: { ...files },
      texts: { ...texts },
    });
  keepPlaces(places, { env });
}

export function notTrusted(
  survey: Pick<Survey, 'folder' | 'wants' | 'places'>,
  before: TrustedFolder | null,
  workspace: string,
  { cwd }: Pick<Io, 'cwd'>,
): DetentError {
  const folder =
    workspace === cwd ? '' : ` ${/^[\w./@:+-]+$/.test(workspace) ? workspace : quoted(workspace)}`;
  const what =
    before === null
      ? `${survey.folder} contains ${summary(survey)}, which you have not approved. Review what it contains with`
      : `${survey.folder} has changed since you approved it. Review the changes with`;
  return new DetentError(
    'NOT_TRUSTED',
    `${what} "detent trust${folder}" on a terminal, or trust the folder for this command alone with --trust (or DETENT_TRUST=1)`,
    { details: { folder: survey.folder } },
  );
}
