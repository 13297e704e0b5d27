import { addressFlags } from '../../../models/provider-config.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import type { Sentence } from '../../../protocol/views.ts';
import { callName } from '../../../store/stored-call.ts';
import { shellWord } from '../../../text/wording.ts';
import type { Evidence } from './evidence.ts';
import { inEnglish, say } from './say.ts';

type Step = NonNullable<MethodOutput<'run.why'>['next'][number]['step']>;

/** A command, and what a client without a shell does in its place: null leaves it to the terminal. */
interface Deed {
  command: string;
  step: Step | null;
}

/** What to do next. */
export interface Advice {
  says: Sentence;
  command: string | null;
  step: Step | null;
  otherFlags: string | null;
}

/** The answer to "why", in no language. */
export interface Finding {
  cause: string;
  summary: Sentence;
  details: Sentence[];
  next: Advice[];
}

type Told = Pick<MethodOutput<'run.why'>, 'cause' | 'summary' | 'details' | 'next' | 'sentences'>;

/** A finding in English, with its sentences for other languages. */
export function told({ cause, summary, details, next }: Finding): Told {
  return {
    cause,
    summary: inEnglish(summary),
    details: details.map(inEnglish),
    next: next.map(({ says, ...how }) => ({ text: inEnglish(says), ...how })),
    sentences: { summary, details, next: next.map(({ says }) => says) },
  };
}

/**
 * @param how a command alone is for the terminal
 * @param otherFlags what the command takes in place of its last flag
 */
export function advice(
  says: Sentence,
  how: Deed | string | null = null,
  otherFlags: string | null = null,
): Advice {
  const { command, step } = typeof how === 'string' ? { command: how, step: null } : (how ?? nothing);
  return { says, command, step, otherFlags };
}

const nothing = { command: null, step: null };

/**
 * Continues the conversation in a new run, with the same model. More flags leave it to the terminal.
 *
 * @param blank words in capitals, for the reader to fill in
 */
export function continueWith({ row, options }: Evidence, flags = '', blank = ''): Deed {
  const { agent, model, fallbacks = [], endpoint } = options;
  const given = [
    ['--session', row.sessionKey],
    ['--agent', agent === 'default' ? undefined : agent],
    // A model given with --model has no fallbacks.
    ['--model', fallbacks.length > 0 ? undefined : model],
  ].flatMap(([flag = '', value]) => (value === undefined ? [] : [` ${flag} ${shellWord(value)}`]));
  const more = `${addressFlags(endpoint)}${flags === '' ? '' : ` ${flags}`}`;
  const prompt = 'go on';
  const step: Step = blank === '' ? { does: 'say', prompt } : { does: 'write' };
  return {
    command: `detent run${given.join('')}${more} "${blank || prompt}"`,
    step: more === '' ? step : null,
  };
}

/** Resumes the run, with the address that it needs named again: only the terminal can name it. */
export function resumeWith({
  row,
  options,
  movedFrom,
}: Pick<Evidence, 'row' | 'options' | 'movedFrom'>): Deed {
  const more = `${addressFlags(options.endpoint)}${movedFrom === null ? '' : ' --here'}`;
  return {
    command: `detent runs resume ${row.id}${more}`,
    step: more === '' ? { does: 'goOn', runId: row.id } : null,
  };
}

/** Forks the run from after a transition, to repeat what followed. Flags leave it to the terminal. */
export function forkAt({ row }: Pick<Evidence, 'row'>, seq: number, flags = ''): Deed {
  const command = `detent runs fork ${row.id} --at ${seq}`;
  return flags === ''
    ? { command, step: { does: 'fork', runId: row.id, at: seq } }
    : { command: `${command} ${flags}`, step: null };
}

/** Explains another run. */
export function lookAt(runId: string): Deed {
  return { command: `detent runs why ${runId}`, step: { does: 'look', runId } };
}

/** Decides on a call, or says what became of it. */
export function decide(verb: 'confirm' | 'reconcile', runId: string, call: number, flags: string): Deed {
  return {
    command: `detent runs ${verb} ${runId} ${callName(call)} ${flags}`,
    step: { does: 'decide', runId },
  };
}

/** Answers the question of a call, or of a service of a chart. */
export function answer(how: string, runId: string, of: string, flags: string): Deed {
  return { command: `detent ${how} ${runId} ${of} ${flags}`, step: { does: 'answer', runId } };
}

/** The end of an advice to fork. */
export const thenResume = { resume: say('then_resume_fork') };
