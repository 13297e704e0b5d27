import { nameOfPerson, someProgram } from '../../protocol/access.ts';
import type { Decider } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Question } from '../../store/stored-call.ts';
import { callName } from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { ask } from '../rows/statements.ts';

/** A call that asks, with what the policy says of who approves it. */
type Asked = Pick<Question, 'call' | 'name' | 'decides'>;
export type FourEyes = (tool: string) => boolean;

/** Without such a policy, whoever may approve decides on any call. */
export const oneSuffices: FourEyes = () => false;

/**
 * Refuses an approval by a person who asked for the call, where the policy wants four eyes: who started the run or a run above
 * it, or sent a message to it. The user of a run counts as asking, whoever typed. Also refuses that of a person other than the one who
 * decides: the user of the run, or of the staff anyone but that user.
 *
 * @param fourEyes whether the policy wants that for a tool
 * @throws DetentError `OWN_REQUEST`, `NOT_THE_DECIDER`.
 */
export function* refuseOthers(
  row: RunRow,
  asked: Asked,
  by: string | undefined,
  fourEyes: FourEyes,
): Program<void> {
  const { call, name, decides } = asked;
  const what = `call ${callName(call)} of run ${row.id}`;
  const details = { callId: callName(call) };
  if (!decidesOn(row, decides, by))
    throw new DetentError(
      'NOT_THE_DECIDER',
      decides === 'user'
        ? `${what} must be decided by the user of the run`
        : `${what} must be decided by someone other than the user of the run`,
      { details },
    );
  if (!fourEyes(name)) return;
  const askers = yield* askersOf(row);
  if (by !== undefined && !askers.has(by)) return;
  const who = [...askers].sort().map((one) => JSON.stringify(one));
  throw new DetentError(
    'OWN_REQUEST',
    `${what} was asked for by ${who.join(' and ')}: someone else who may approve must decide on it, because the policy names "${name}" in "fourEyes"`,
    { details: { ...details, askedBy: [...askers].sort() } },
  );
}

/**
 * Refuses the decision of someone who may not approve, unless the call is for the user of the run to decide, who this is.
 *
 * @throws DetentError `FORBIDDEN`.
 */
export function refuseWithoutRight(
  { id, user }: RunRow,
  { call, kind, decides }: Pick<Question, 'call' | 'kind' | 'decides'>,
  { by, mayApprove = true }: { by?: string; mayApprove?: boolean },
): void {
  const isTheirs = decides === 'user' && user !== null && by === nameOfPerson(user);
  if (mayApprove || kind !== 'confirm' || isTheirs) return;
  throw new DetentError(
    'FORBIDDEN',
    `call ${callName(call)} of run ${id} needs a token with the scope approve`,
    {
      details: { missing: ['approve'] },
    },
  );
}

/** The calls of a run that this person may not approve. */
export function* othersCalls(
  row: RunRow,
  questions: readonly Asked[],
  by: string,
  fourEyes: FourEyes,
): Program<ReadonlySet<string>> {
  const isStrict = questions.some(({ name }) => fourEyes(name));
  const hasAsked = isStrict && (yield* askersOf(row)).has(by);
  const others = questions.filter(
    ({ name, decides }) => !decidesOn(row, decides, by) || (hasAsked && fourEyes(name)),
  );
  return new Set(others.map(({ call }) => callName(call)));
}

/** Whether a person is one who decides. A program, and a person at its command line, decide for whom they serve. */
function decidesOn({ user }: RunRow, decides: Decider | undefined, by: string | undefined): boolean {
  if (decides === undefined || user === null) return true;
  const isUser = by === nameOfPerson(user);
  if (decides === 'staff') return !isUser;
  return isUser || by === undefined || by === someProgram || by.startsWith('cli:');
}

/** Who asked for what a run does. */
function* askersOf(row: RunRow): Program<ReadonlySet<string>> {
  const askers = new Set<string>();
  for (let at: RunRow | undefined = row; at; ) {
    const { by, parentRunId } = optionsOf(at);
    if (at.user !== null) askers.add(nameOfPerson(at.user));
    for (const one of by ?? []) askers.add(one);
    if (by === undefined && at.user === null && parentRunId === undefined) askers.add(someProgram);
    const messengers = yield* ask('listMessengers', { run: at.pk });
    for (const said of messengers) askers.add(said.by);
    at =
      parentRunId === undefined ? undefined : yield* ask('loadRun', { tenant: row.tenant, id: parentRunId });
  }
  return askers;
}
