import { DetentError } from '../../protocol/error.ts';
import { unhidden } from '../../text/wording.ts';
import { keepTrust, newOwnFolder } from '../../trust/agreements.ts';
import type { Survey, Verdict } from '../../trust/judge-folder.ts';
import { isYes } from '../terminal/ask-yes.ts';
import type { Io } from '../terminal/io.ts';
import { quoted } from '../terminal/shell-word.ts';
import { describeFolder, summary } from './question.ts';

/** Asks, and keeps a yes. @throws DetentError `NOT_TRUSTED` for any other answer. */
export async function askForTrust(verdict: Asked, io: Io): Promise<void> {
  const { survey, before } = verdict;
  const title =
    before === null
      ? `${survey.folder} contains files that Detent would run or obey, and you have not approved them:`
      : `${survey.folder} has changed since you trusted it (${before.at.slice(0, 10)}):`;
  io.say(`${unhidden(title)}\n\n${await describeFolder(verdict)}\n`);
  const question = 'Trust this folder? Its files can then act with your rights and your keys.';
  if (!(await isYes(question, io)))
    throw new DetentError('NOT_TRUSTED', `${survey.folder} is not trusted: Detent used nothing in it`);
  keepTrust(survey, io);
  if (before !== null && !before.mine)
    io.say('If only you edit this folder, "detent trust --mine" ends these questions.');
}

/**
 * Asks whether a folder is this person's own, and keeps a yes. Where git stands is kept with the next look at the folder.
 *
 * @throws DetentError `NOT_TRUSTED` for any other answer, and where somebody else may write.
 */
export async function askForOwn(verdict: Asked, io: Io): Promise<void> {
  const { survey } = verdict;
  newOwnFolder(survey);
  const found = await describeFolder({ ...verdict, before: null, why: [] });
  io.say(
    `${unhidden(survey.folder)}${found === '' ? '' : ` brings files that Detent acts on:\n\n${found}\n`}`,
  );
  const question =
    'Are you the only one who edits this folder? Your changes can then act with your rights and your keys, without a question.';
  if (!(await isYes(question, io)))
    throw new DetentError('NOT_TRUSTED', `nothing has changed in what you trust of ${survey.folder}`);
  keepTrust(survey, io, newOwnFolder(survey));
}

type Asked = Pick<Verdict, 'survey' | 'before' | 'why'>;

export function notTrusted(
  {
    survey,
    before,
    why,
  }: Pick<Verdict, 'before' | 'why'> & { survey: Pick<Survey, 'folder' | 'wants' | 'places'> },
  workspace: string,
  { cwd }: Pick<Io, 'cwd'>,
): DetentError {
  const folder =
    workspace === cwd ? '' : ` ${/^[\w./@:+-]+$/.test(workspace) ? workspace : quoted(workspace)}`;
  const what =
    before === null
      ? `${survey.folder} contains ${summary(survey)}, which you have not approved. Review what it contains with`
      : `${survey.folder} has changed since you approved it${why.length === 0 ? '' : `; it is yours, but ${why[0]}`}. Review the changes with`;
  return new DetentError(
    'NOT_TRUSTED',
    `${what} "detent trust${folder}" on a terminal, or trust the folder for this command alone with --trust (or DETENT_TRUST=1)${
      before === null || before.mine
        ? ''
        : `; if nobody else writes in it, "detent trust --mine${folder}" ends these questions`
    }`,
    { details: { folder: survey.folder } },
  );
}
