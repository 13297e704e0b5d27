import type { Evidence } from './evidence.ts';

/** What to do next. */
export interface Advice {
  text: string;
  /** To be typed as it is; null when there is nothing to type. */
  command: string | null;
}

/** What somebody who asks "why" is told. */
export interface Finding {
  /** Stable, for programs: `provider_unreachable`, `max_steps`, `waiting_for_confirmation`. */
  cause: string;
  /** One sentence that names the cause. */
  summary: string;
  /** What else is worth knowing, one line each. */
  details: string[];
  next: Advice[];
}

export function advice(text: string, command: string | null = null): Advice {
  return { text, command };
}

/** Words for a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Carries the conversation on in a run of its own, with the same model; words in capitals are for a person to fill in. */
export function inSession({ row, options }: Evidence, flags = '', words = 'go on'): string {
  const { agent, model, fallbacks = [], endpoint } = options;
  const given = [
    ['--session', row.sessionKey],
    ['--agent', agent === 'default' ? undefined : agent],
    // Named by hand, it would have no fallbacks.
    ['--model', fallbacks.length > 0 ? undefined : model],
    ['--base-url', endpoint?.baseUrl],
    ['--api-key-env', endpoint?.apiKeyEnv],
    ['--api', endpoint?.api],
  ].flatMap(([flag = '', value]) => (value === undefined ? [] : [`${flag} ${quoted(value)}`]));
  return `detent run ${[...given, ...(flags === '' ? [] : [flags])].join(' ')} "${words}"`;
}

/** Does over what followed from a transition, in a copy. */
export function again({ row }: Evidence, seq: number, flags = ''): string {
  return `detent runs fork ${row.id} --at ${seq}${flags === '' ? '' : ` ${flags}`}`;
}

export const thenResume = 'then carry the fork on with "detent runs resume" and the id that it prints';

/** `90 s`, `12 min`, `3 h`, `7 days`: as exact as anybody needs. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

export function moment(at: number): string {
  return new Date(at).toISOString();
}

export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}
