/** All sessions, or one by its key. */
export type Scope = 'all' | { session: number };

/** The sessions that a driver drives: all of them, or those that it was given. */
export class DrivenSessions {
  #driven: 'all' | Set<number> = new Set();

  get areAll(): boolean {
    return this.#driven === 'all';
  }

  /** Each session by its key; none if they are all. */
  keys(): readonly number[] {
    return this.#driven === 'all' ? [] : [...this.#driven];
  }

  covers(session: number): boolean {
    return this.#driven === 'all' || this.#driven.has(session);
  }

  add(scope: Scope): void {
    if (scope === 'all') this.#driven = 'all';
    else if (this.#driven !== 'all') this.#driven.add(scope.session);
  }
}
