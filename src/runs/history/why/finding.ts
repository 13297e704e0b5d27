import { addressFlags } from '../../../models/provider-config.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import { isoTime, shellWord } from '../../../text/wording.ts';
import type { Evidence } from './evidence.ts';

/** What to do next. */
export type Advice = Finding['next'][number];

/** The answer to "why". */
export interface Finding extends Pick<MethodOutput<'run.why'>, 'cause' | 'summary' | 'details' | 'next'> {}

export function advice(text: string, command: string | null = null): Advice {
  return { text, command };
}

/**
 * The command that continues the conversation in a new run, with the same model. Words in capitals are for the reader to
 * fill in.
 */
export function continueWith({ row, options }: Evidence, flags = '', words = 'go on'): string {
  const { agent, model, fallbacks = [], endpoint } = options;
  const given = [
    ['--session', row.sessionKey],
    ['--agent', agent === 'default' ? undefined : agent],
    // A model given with --model has no fallbacks.
    ['--model', fallbacks.length > 0 ? undefined : model],
  ].flatMap(([flag = '', value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`]));
  const address = addressFlags(endpoint);
  return `detent run${given.join('')}${address}${flags === '' ? '' : ` ${flags}`} "${words}"`;
}

/** The command that resumes the run, with the address that it needs named again. */
export function resumeWith({ row, options }: Pick<Evidence, 'row' | 'options'>): string {
  return `detent runs resume ${row.id}${addressFlags(options.endpoint)}`;
}

/** The command that forks the run from after a transition, to repeat what followed. */
export function forkAt({ row }: Evidence, seq: number, flags = ''): string {
  return `detent runs fork ${row.id} --at ${seq}${flags === '' ? '' : ` ${flags}`}`;
}

export const thenResume = 'then resume the fork with "detent runs resume" and the id that it prints';

export function moment(at: number): string {
  return isoTime(at);
}

export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}
