import { nameOfPerson, someProgram } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Question } from '../../store/stored-call.ts';
import { callName } from '../../store/stored-call.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { ask } from '../rows/statements.ts';

/**
 * Refuses an approval by a person who asked for the call: who started the run or a run above it, or sent a message to
 * it. The user of a run counts as asking, whoever typed.
 *
 * @param fourEyes whether the policy wants that for a tool
 * @throws DetentError `OWN_REQUEST`.
 */
export function* refuseOwn(
  row: RunRow,
  { call, name }: Pick<Question, 'call' | 'name'>,
  by: string | undefined,
  fourEyes: (tool: string) => boolean,
): Program<void> {
  if (!fourEyes(name)) return;
  const askers = yield* askersOf(row);
  if (by !== undefined && !askers.has(by)) return;
  const asked = [...askers].sort().map((one) => JSON.stringify(one));
  throw new DetentError(
    'OWN_REQUEST',
    `call ${callName(call)} of run ${row.id} was asked for by ${asked.join(' and ')}: someone else who may approve must decide on it, because the policy names "${name}" in "fourEyes"`,
    { details: { callId: callName(call), askedBy: [...askers].sort() } },
  );
}

/** The calls of a run that this person may not approve, because they asked for them. */
export function* ownCalls(
  row: RunRow,
  questions: readonly Pick<Question, 'call' | 'name'>[],
  by: string,
  fourEyes: (tool: string) => boolean,
): Program<ReadonlySet<string>> {
  const own = questions.filter(({ name }) => fourEyes(name)).map(({ call }) => callName(call));
  return new Set(own.length > 0 && (yield* askersOf(row)).has(by) ? own : []);
}

/** Who asked for what a run does. */
function* askersOf(row: RunRow): Program<ReadonlySet<string>> {
  const askers = new Set<string>();
  for (let at: RunRow | undefined = row; at; ) {
    const { by, parentRunId } = optionsOf(at);
    if (at.user !== null) askers.add(nameOfPerson(at.user));
    for (const one of by ?? []) askers.add(one);
    if (by === undefined && at.user === null && parentRunId === undefined) askers.add(someProgram);
    for (const said of yield* ask('listMessengers', { run: at.pk })) askers.add(said.by);
    at =
      parentRunId === undefined ? undefined : yield* ask('loadRun', { tenant: row.tenant, id: parentRunId });
  }
  return askers;
}
