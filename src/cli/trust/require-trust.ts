import { DetentError } from '../../protocol/error.ts';
import {
  type AgreedFolder,
  agreedFolder,
  judgeDatabase,
  judgeFolder,
  type SurveyedFolder,
  type Verdict,
} from '../../trust/judge-folder.ts';
import type { Io } from '../terminal/io.ts';

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
  await requireYes(verdict, opened, io);
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
  if (!trustsAll(isFlagSet, io)) await requireYes(await judgeDatabase(opened), opened, io);
}

async function requireYes(verdict: Verdict, { workspace }: SurveyedFolder, io: Io): Promise<void> {
  if (verdict.isTrusted) return;
  const { askForTrust, notTrusted } = await import('./ask-for-trust.ts');
  if (!io.isAttended()) throw notTrusted(verdict, workspace, io);
  await askForTrust(verdict, io);
}
