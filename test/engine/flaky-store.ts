import { DetentError } from '../../src/protocol/error.ts';
import type { Program } from '../../src/store/program.ts';
import type { StatementName } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';

export const full = new DetentError('DATABASE_FULL', 'the disk is full', { retryable: true });
const unknown = new DetentError('OUTCOME_UNKNOWN', 'the connection broke during a commit');
export const corrupt = new DetentError('DATABASE_CORRUPT', 'the file is damaged');

/** A store whose commits a test can make fail. */
export class FlakyStore implements Store {
  readonly #store: Store;
  #commits: { left: number; error: Error } = { left: 0, error: full };
  #lost = 0;
  #queries: { left: number; name: StatementName | null } = { left: 0, name: null };
  /** Commits that were asked for, failed ones too. */
  asked = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  failCommits(left: number, error: Error = full): void {
    this.#commits = { left, error };
  }

  /** So many commits go through, and it is never known. */
  loseAnswers(left: number): void {
    this.#lost = left;
  }

  failQueries(left: number, name: StatementName): void {
    this.#queries = { left, name };
  }

  async commit<T>(program: () => Program<T>): Promise<T> {
    this.asked++;
    if (this.#commits.left-- > 0) throw this.#commits.error;
    const value = await this.#store.commit(program);
    if (this.#lost-- > 0) throw unknown;
    return value;
  }

  query: Store['query'] = async (name, input) => {
    if (name === this.#queries.name && this.#queries.left-- > 0) throw full;
    return this.#store.query(name, input);
  };

  /** As a store on a server has: only there an answer can be lost. */
  async checkThere(): Promise<void> {}

  close(): Promise<void> {
    return this.#store.close();
  }
}
