import type { StatementName } from './statements.ts';

/** Input and output of a statement. */
interface Statement {
  in: object;
  out: unknown;
}

/** One request of a program: a statement's name and its input; `isTold` if the program does not look at the answer. */
export type Request = readonly [name: StatementName, input: object, isTold?: true];

/** A computation that asks a store. It cannot await, so no transaction stays open during an await. */
export type Program<T> = Generator<Request, T, unknown>;

/** Some statements, by name. */
export type Declared<S> = { [K in keyof S]: Statement };

/** Asks one statement out of `S`, typed: `const row = yield* ask('loadRun', { tenant, id })`. */
export type Ask<S extends Declared<S>> = <K extends keyof S & StatementName>(
  name: K,
  input: S[K]['in'],
) => Program<S[K]['out']>;

/** Tells one statement out of `S` to make a change whose answer nobody needs: a server is not waited for. */
export type Tell<S extends Declared<S>> = <K extends keyof S & StatementName>(
  name: K,
  input: S[K]['in'],
) => Program<void>;

/** Performs a program that only reads, outside of a transaction. */
export async function read<T>(
  store: { query(name: never, input: never): Promise<unknown> },
  program: Program<T>,
): Promise<T> {
  let step = program.next();
  while (!step.done) step = program.next(await store.query(...(step.value as [never, never])));
  return step.value;
}

/** A program of one request, whose answer is its own: for the many reads that a generator would be half of. */
export function alone<T>(name: StatementName, input: object): Pick<Program<T>, 'next'> {
  let isAsked = false;
  return {
    next(answer) {
      if (isAsked) return { done: true, value: answer as T };
      isAsked = true;
      return { done: false, value: [name, input] };
    },
  };
}

/**
 * The one function behind every `ask`. Each part of the program gives it the type of the statements it uses:
 *
 * @example
 * ```ts
 * const ask: Ask<StatementsOf<'runs' | 'timers'>> = request;
 * ```
 */
export function* request(name: StatementName, input: object): Program<never> {
  return (yield [name, input]) as never;
}

/** The one function behind every `tell`. */
export function* order(name: StatementName, input: object): Program<void> {
  yield [name, input, true];
}
