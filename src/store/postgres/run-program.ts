import type { ClientBase, QueryResult } from 'pg';
import type { Program, Request } from '../program.ts';
import { isUnbound, page } from '../query/answer.ts';
import { valuesOfBind } from '../query/compile.ts';
import type { LongRow } from '../rows.ts';
import type { StatementName } from '../statements.ts';
import type { Companion } from '../store.ts';
import { postgresStatement } from './compiled.ts';
import { codeOf, isGone, type Mark, OutcomeUnknown } from './errors.ts';
import { restored, storable } from './texts.ts';
import { wireOf } from './wire.ts';

/** How a statement is asked: alone, or in a transaction; there also by a program that does not wait for its likely answer. */
type Asked = 'alone' | 'locking' | 'guessed';

/** Executes one statement. */
export async function execute(
  client: Pick<ClientBase, 'query'>,
  name: StatementName,
  input: object,
  asked: Asked,
): Promise<unknown> {
  const statement = postgresStatement(name);
  const { kind, sql, bind } = statement;
  const text = asked === 'alone' ? sql : statement[asked];
  const values = valuesOfBind(bind, input).map((value) =>
    typeof value === 'string' ? storable(value) : value,
  );
  if (kind === 'page') values.push(isUnbound(input) ? null : maxBytesOf(input));
  const { rows, rowCount }: QueryResult<Record<string, unknown>> = await client.query({
    // Prepared once a connection.
    name: text === sql ? name : `${name} ${asked}`,
    text,
    values,
  });
  if (kind === 'run') return rowCount ?? 0;
  for (const row of rows) restore(row);
  if (kind === 'get') return rows[0];
  if (kind === 'all') return rows;
  for (const row of rows) delete row.before;
  return isUnbound(input) ? rows : page(rows as LongRow[], input);
}

const maxBytesOf = (input: { maxBytes?: number }) => input.maxBytes ?? null;

function restore(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string') row[column] = restored(value);
  }
}

const putMark =
  'insert into commit_marks (place, n) values ($1, $2) on conflict (place) do update set n = excluded.n';

/** Whether the transaction with a mark was committed. Waits until it is over. */
export async function isCommitted(client: ClientBase, { place, n }: Mark): Promise<boolean> {
  // The first waits for one that adds the place, the second for one that changes it.
  await client.query('insert into commit_marks (place, n) values ($1, 0) on conflict (place) do nothing', [
    place,
  ]);
  const { rows } = await client.query<{ n: number }>(
    'select n from commit_marks where place = $1 for update',
    [place],
  );
  return rows[0]?.n === n;
}

/** Follows a transaction that failed for another reason. */
const aborted = '25P02';

/** The error of a guess that was wrong: see `wrongGuess`. */
const misguessed = '22P02';

/**
 * Runs a program in a transaction. Statements whose answers nobody needs are sent without waiting for them, and BEGIN and COMMIT go
 * along with their neighbours. Likely answers are guessed, and the server refuses what follows a wrong guess: then the program runs
 * again, and waits for each.
 *
 * @throws OutcomeUnknown if the connection broke after COMMIT was sent; what the server or the program threw first.
 */
export async function runProgram<T>(
  client: ClientBase,
  program: () => Program<T>,
  { mark, companion }: { mark: Mark; companion: Companion | null },
): Promise<T> {
  try {
    return await attempt(client, program, { mark, companion, isGuessing: true });
  } catch (error) {
    if (codeOf(error) !== misguessed) throw error;
    return attempt(client, program, { mark, companion, isGuessing: false });
  }
}

async function attempt<T>(
  client: ClientBase,
  program: () => Program<T>,
  { mark, companion, isGuessing }: { mark: Mark; companion: Companion | null; isGuessing: boolean },
): Promise<T> {
  const running = program();
  const sent: Promise<unknown>[] = [];
  const send = (asked: Promise<unknown>) => {
    // Looked at by the end of the program: none may reject while nobody listens.
    asked.catch(() => {});
    sent.push(asked);
    return asked;
  };
  const stream = wireOf(client);
  stream.cork();
  try {
    send(client.query('BEGIN ISOLATION LEVEL READ COMMITTED'));
    send(client.query({ name: 'mark', text: putMark, values: [mark.place, mark.n] }));
    const all: Request[] = [];
    let step = running.next();
    while (!step.done) {
      const [name, input, isTold] = step.value;
      all.push(step.value);
      const { isLikely } = postgresStatement(name);
      const isGuess = isGuessing && isLikely;
      const asked = send(execute(client, name, input, isGuess ? 'guessed' : 'locking'));
      if (isGuess || isTold) {
        step = running.next(1);
        continue;
      }
      stream.uncork();
      let answer: unknown;
      try {
        answer = await asked;
      } finally {
        stream.cork();
      }
      step = running.next(answer);
    }
    const value = step.value;
    if (companion && all.some((one) => companion.concerns(one))) {
      stream.uncork();
      await accompanied(client, companion, all, send);
      stream.cork();
    }
    const commit = client.query('COMMIT') as Promise<QueryResult>;
    send(commit);
    stream.uncork();
    await settled(sent, commit, { value, mark });
    return value;
  } catch (error) {
    if (error instanceof Settled) throw error.reason;
    send(client.query('ROLLBACK'));
    stream.uncork();
    // What the program threw may come of a wrong guess, and then the server has refused that first.
    throw (await firstFailure(sent)) ?? error;
  }
}

/** Has a companion write its rows. A failure of its own is not one of the program. */
async function accompanied(
  client: ClientBase,
  companion: Companion,
  asked: readonly Request[],
  send: (asked: Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  send(client.query('SAVEPOINT companion'));
  // What was deferred to the commit would fail there, and the program with it.
  send(client.query('SET CONSTRAINTS ALL IMMEDIATE'));
  try {
    await companion.join(asked, (text, values) => client.query<Record<string, unknown>>(text, values));
  } catch (error) {
    send(client.query('ROLLBACK TO SAVEPOINT companion'));
    // Behind a wrong guess nothing else succeeds, either.
    if (codeOf(error) !== aborted && !isGone(error)) companion.failed(error);
  }
}

/** Wraps why a transaction whose COMMIT was sent has failed: it is over, and needs no ROLLBACK. */
class Settled extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('the transaction is over');
    this.reason = reason;
  }
}

async function settled(
  sent: readonly Promise<unknown>[],
  commit: Promise<QueryResult>,
  outcome: { value: unknown; mark: Mark },
): Promise<void> {
  const failure = await firstFailure(sent);
  if (failure !== undefined)
    throw new Settled(isGone(failure) ? new OutcomeUnknown(outcome, failure) : failure);
  // Behind a statement that failed, COMMIT answers ROLLBACK, and no error.
  const { command } = await commit;
  if (command !== 'COMMIT') throw new Settled(new Error(`the transaction ended with ${command}`));
}

/** What went wrong first. Statements behind it only say that the transaction is aborted. */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  for (const outcome of await Promise.allSettled(sent))
    if (outcome.status === 'rejected' && codeOf(outcome.reason) !== aborted) return outcome.reason;
  return undefined;
}
