import { DetentError } from '../error.ts';
import { isObject } from '../json.ts';

/** The limits of a run and what their values are. Free of libraries, so that `createDetent` can check them at once. */
export const limitKinds = {
  maxSteps: 'count',
  maxTokens: 'count',
  maxCostUsd: 'positive',
  maxRetries: 'countOrNone',
  timeoutMs: 'positive',
  maxPromptBytes: 'count',
  maxErrors: 'count',
  maxRepeats: 'count',
  parallelCalls: 'count',
  confirmExpiryMs: 'positive',
  reconcileExpiryMs: 'positive',
  queueExpiryMs: 'positive',
} as const;

type LimitKind = (typeof limitKinds)[keyof typeof limitKinds];

const kinds: Readonly<Record<LimitKind, { accepts(value: number): boolean; words: string }>> = {
  count: { accepts: (value) => Number.isSafeInteger(value) && value > 0, words: 'a whole number from 1' },
  countOrNone: {
    accepts: (value) => Number.isSafeInteger(value) && value >= 0,
    words: 'a whole number from 0',
  },
  positive: { accepts: (value) => Number.isFinite(value) && value > 0, words: 'a number above 0' },
};

/**
 * Checks limits before anything is loaded. The check of the whole configuration follows with the first use.
 *
 * @throws DetentError `INVALID_CONFIG`, naming every bad limit.
 */
export function checkLimits(limits: unknown, where: string): void {
  if (limits === undefined) return;
  const problems = isObject(limits) ? problemsOf(limits) : ['limits: expected an object'];
  if (problems.length === 0) return;
  throw new DetentError('INVALID_CONFIG', `${where} is not valid: ${problems.join('; ')}`, {
    details: { where, problems },
  });
}

function problemsOf(limits: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(limits).flatMap(([name, value]) => {
    if (!Object.hasOwn(limitKinds, name)) return [`limits.${name}: there is no such field`];
    const { accepts, words } = kinds[limitKinds[name as keyof typeof limitKinds]];
    if (value === undefined || (typeof value === 'number' && accepts(value))) return [];
    return [`limits.${name}: expected ${words}`];
  });
}
