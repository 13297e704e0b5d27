/** Some servers of this wire refuse longer ids. */
const maxLength = 64;

/**
 * Gives calls and their results ids that the wire accepts: letters, digits, `_` and `-` only, and unique. Ids of other
 * providers have dots and colons, are empty, or restart at `call_0` in every answer.
 */
export class ToolIds {
  readonly #taken = new Set<string>();
  /** Calls without a result yet, by their original id. */
  readonly #open = new Map<string, string[]>();

  forCall(id: string): string {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength) || 'call';
    let unique = base;
    for (let n = 2; this.#taken.has(unique); n++) {
      const suffix = `_${n}`;
      unique = base.slice(0, maxLength - suffix.length) + suffix;
    }
    this.#taken.add(unique);
    this.#open.set(id, [...(this.#open.get(id) ?? []), unique]);
    return unique;
  }

  /** Undefined when the result has no open call. */
  forResult(id: string): string | undefined {
    const [first, ...rest] = this.#open.get(id) ?? [];
    this.#open.set(id, rest);
    return first;
  }
}
