import { DetentError } from '../../src/protocol/error.ts';
import type { Program } from '../../src/store/program.ts';
import type { StatementName } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';

export const full = new DetentError('DATABASE_FULL', 'the disk is full', { retryable: true });
export const corrupt = new DetentError('DATABASE_CORRUPT', 'the file is damaged');

/** A store whose commits a test can make fail. */
export class FlakyStore implements Store {
  readonly #store: Store;
  #commits: { left: number; error: Error } = { left: 0, error: full };
  #queries: { left: number; name: StatementName | null } = { left: 0, name: null };
  /** Commits that were asked for, failed ones too. */
  asked = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  failCommits(left: number, error: Error = full): void {
    this.#commits = { left, error };
  }

  failQueries(left: number, name: StatementName): void {
    this.#queries = { left, name };
  }

  async commit<T>(program: () => Program<T>): Promise<T> {
    this.asked++;
    if (this.#commits.left-- > 0) throw this.#commits.error;
    return this.#store.commit(program);
  }

  query: Store['query'] = async (name, input) => {
    if (name === this.#queries.name && this.#queries.left-- > 0) throw full;
    return this.#store.query(name, input);
  };

  close(): Promise<void> {
    return this.#store.close();
  }
}
