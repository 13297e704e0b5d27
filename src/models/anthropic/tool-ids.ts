/** Longer ids are refused by some servers of this wire. */
const maxLength = 64;

/**
 * Gives calls and their results the ids of the wire: letters, digits, `_` and `-` only, and no two calls the same. Other
 * providers' ids have dots and colons, are empty, or start from `call_0` in every answer.
 */
export class ToolIds {
  readonly #taken = new Set<string>();
  /** Calls that have no result yet, by the id they came with. */
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

  /** Undefined when no call waits for this result. */
  forResult(id: string): string | undefined {
    const [first, ...rest] = this.#open.get(id) ?? [];
    this.#open.set(id, rest);
    return first;
  }
}
