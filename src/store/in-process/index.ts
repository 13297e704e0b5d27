import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../program.ts';
import type { In, Out, StatementName, Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import { accessTokenStatements } from './access-tokens.ts';
import { artifactStatements } from './artifacts.ts';
import { budgetStatements } from './budgets.ts';
import { cachedAnswerStatements } from './cached-answers.ts';
import { commandStatements } from './commands.ts';
import { confirmationStatements } from './confirmations.ts';
import { driverStatements } from './drivers.ts';
import { effectStatements } from './effects.ts';
import { eventStatements } from './events.ts';
import { grantStatements } from './grants.ts';
import { jobStatements } from './jobs.ts';
import { messageStatements } from './messages.ts';
import { requestKeyStatements } from './request-keys.ts';
import { runStatements } from './runs.ts';
import { createTables, type Handlers } from './schema.ts';
import { sessionStatements } from './sessions.ts';
import { taintedFileStatements } from './tainted-files.ts';
import { tenantStatements } from './tenants.ts';
import { timerStatements } from './timers.ts';
import { UndoLog } from './undo-log.ts';
import { uploadStatements } from './uploads.ts';
import { usageStatements } from './usage.ts';

/**
 * Makes an empty store in memory: for tests, and for hosts without a database.
 *
 * It answers every statement as the databases do, including constraint errors (`DATABASE_FAILED`), with one difference:
 * rows may name a tenant that does not exist.
 *
 * Every 64th commit waits for a macrotask. Otherwise a run whose model and tools answer at once would only use
 * microtasks, and starve timers, sockets and the screen.
 *
 * @example
 * ```ts
 * const store = createInProcessStore();
 * const { pk } = await store.commit(() => ask('insertSession', { tenant: 1, key: 'chat', at: Date.now() }));
 * ```
 */
export function createInProcessStore(): Store {
  return new InProcessStore();
}

const commitsPerBreath = 64;

// Read when the module loads, so that a test that fakes timers later does not stop commits.
const { setTimeout } = globalThis;

class InProcessStore implements Store {
  readonly #undo = new UndoLog();
  readonly #handlers = createHandlers(this.#undo);
  /** The last queued commit. */
  #line: Promise<unknown> = Promise.resolve();
  #commits = 0;
  #closed = false;

  async commit<T>(program: () => Program<T>): Promise<T> {
    this.#refuseWhenClosed();
    const mine = this.#line.then(async () => {
      if (++this.#commits % commitsPerBreath === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      return this.#undo.atomically(() => this.#run(program()));
    });
    this.#line = mine.catch(() => {});
    return mine;
  }

  async query<K extends StatementName>(name: K, input: In<K>): Promise<Out<K>> {
    this.#refuseWhenClosed();
    return this.#undo.atomically(() => this.#perform(name, input)) as Out<K>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#line;
  }

  #run<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) step = program.next(this.#perform(step.value[0], step.value[1]));
    return step.value;
  }

  #perform(name: StatementName, input: object): unknown {
    return (this.#handlers[name] as (input: object) => unknown)(input);
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new DetentError('CLOSED', 'this store was closed; open it again');
  }
}

function createHandlers(undo: UndoLog): Handlers<Statements> {
  const tables = createTables(undo);
  return {
    ...taintedFileStatements(tables),
    ...tenantStatements(tables),
    ...sessionStatements(tables),
    ...runStatements(tables),
    ...eventStatements(tables),
    ...effectStatements(tables),
    ...timerStatements(tables),
    ...messageStatements(tables),
    ...confirmationStatements(tables),
    ...grantStatements(tables),
    ...artifactStatements(tables),
    ...usageStatements(tables),
    ...budgetStatements(tables),
    ...cachedAnswerStatements(tables),
    ...commandStatements(tables),
    ...driverStatements(tables),
    ...accessTokenStatements(tables),
    ...uploadStatements(tables),
    ...jobStatements(tables),
    ...requestKeyStatements(tables),
  };
}
