import type { AnyStateNode } from 'xstate';

/** All that the check can find, by how bad it is: an error refuses the chart. */
export const checkCodes = {
  NOT_DURABLE: 'error',
  INLINE_SERVICE: 'error',
  UNKNOWN_ACTION: 'error',
  UNKNOWN_GUARD: 'error',
  UNKNOWN_DELAY: 'error',
  ENDLESS_LOOP: 'error',
  IMPURE: 'error',
  CONTEXT_NOT_JSON: 'error',
  INPUT_NOT_JSON: 'error',
  RESERVED_EVENT: 'error',
  STATE_NAME: 'error',
  SYSTEM_ID: 'error',
  SEND_TO: 'error',
  SPAWN: 'error',
  NO_VERSION: 'warning',
  UNNAMED_INVOKE: 'warning',
  SHARED_ID: 'warning',
  NO_ONERROR: 'warning',
  ALWAYS_LEAVES: 'warning',
  NO_EXIT: 'warning',
  UNCHECKED_EVENT: 'warning',
  UNKNOWN_AGENT: 'warning',
  UNKNOWN_TOOL: 'warning',
  INLINE_ACTION: 'warning',
  INLINE_GUARD: 'warning',
} as const satisfies Record<string, 'error' | 'warning'>;

export type CheckCode = keyof typeof checkCodes;

/** What is wrong with a chart, and where. */
export interface Finding {
  /** An error refuses the chart at start. */
  level: 'error' | 'warning';
  code: CheckCode;
  /**
   * Path of the state, such as `refund.approving`. A chart that another one invokes has its name after a slash
   * (`digest/collect.fetching`), an earlier version of a chart its version (`refund@1.approving`).
   */
  state: string;
  /** What is wrong. */
  message: string;
  /** What to do. */
  remedy: string;
}

/** Collects the findings of one chart. A finding that repeats for a state is kept once. */
export class Findings {
  readonly #path: string;
  readonly #found = new Map<string, Finding & { order: number }>();

  /** @param path stands for the root of the chart. */
  constructor(path: string) {
    this.#path = path;
  }

  add(code: CheckCode, node: AnyStateNode, message: string, remedy: string): void {
    const state = [this.#path, ...node.path].join('.');
    const key = JSON.stringify([code, state, message]);
    if (this.#found.has(key)) return;
    this.#found.set(key, { level: checkCodes[code], code, state, message, remedy, order: node.order });
  }

  has(code: CheckCode, { path }: AnyStateNode): boolean {
    const state = [this.#path, ...path].join('.');
    return this.#found.values().some((found) => found.code === code && found.state === state);
  }

  /** In the order of the states in the chart; in a state, errors come first. */
  sorted(): Finding[] {
    const rank = ({ level }: Finding) => (level === 'error' ? 0 : 1);
    return [...this.#found.values()]
      .sort((a, b) => a.order - b.order || rank(a) - rank(b))
      .map(({ order, ...finding }) => finding);
  }
}
