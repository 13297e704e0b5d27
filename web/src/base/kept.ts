/** What the page keeps in this browser between visits: choices of a person, never data or tokens. */
export const kept = {
  get(name: string): string | null {
    try {
      return globalThis.localStorage?.getItem(`detent.${name}`) ?? null;
    } catch {
      // A browser may forbid it. The choice then lasts as long as the page.
      return null;
    }
  },
  set(name: string, value: string | null): void {
    try {
      if (value === null) globalThis.localStorage?.removeItem(`detent.${name}`);
      else globalThis.localStorage?.setItem(`detent.${name}`, value);
    } catch {
      // As above.
    }
  },
};
