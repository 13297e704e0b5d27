import { addressFlags } from '../../../models/provider-config.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import type { Sentence } from '../../../protocol/views.ts';
import { shellWord } from '../../../text/wording.ts';
import type { Evidence } from './evidence.ts';
import { inEnglish, say } from './say.ts';

type Step = MethodOutput<'run.why'>['next'][number]['step'];

/** What to do next. */
export interface Advice {
  says: Sentence;
  command: string | null;
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
    next: next.map(({ says, command, otherFlags }) => ({
      text: inEnglish(says),
      command,
      otherFlags,
      step: command === null ? null : stepOf(command),
    })),
    sentences: { summary, details, next: next.map(({ says }) => says) },
  };
}

/** @param otherFlags what the command takes in place of its last flag */
export function advice(
  says: Sentence,
  command: string | null = null,
  otherFlags: string | null = null,
): Advice {
  return { says, command, otherFlags };
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
export function resumeWith({
  row,
  options,
  movedFrom,
}: Pick<Evidence, 'row' | 'options' | 'movedFrom'>): string {
  return `detent runs resume ${row.id}${addressFlags(options.endpoint)}${movedFrom === null ? '' : ' --here'}`;
}

/** The command that forks the run from after a transition, to repeat what followed. */
export function forkAt({ row }: Evidence, seq: number, flags = ''): string {
  return `detent runs fork ${row.id} --at ${seq}${flags === '' ? '' : ` ${flags}`}`;
}

/** The end of an advice to fork. */
export const thenResume = { resume: say('then_resume_fork') };

/**
 * What a command of an advice does, for clients that have no shell. A flag beyond these leaves it to the terminal, and so do words in
 * capitals, which the reader fills in.
 */
export function stepOf(command: string): Step {
  const fork = /^detent runs fork (\S+) --at (\d+)$/.exec(command);
  if (fork) return { does: 'fork', runId: fork[1] ?? '', at: Number(fork[2]) };
  const [, verb = '', runId = ''] = /^detent runs (resume|why) (\S+)$/.exec(command) ?? [];
  if (verb !== '') return { does: verb === 'resume' ? 'goOn' : 'look', runId };
  const said = /^detent run --session \S+(?: --(?:agent|model) \S+)* "(?<prompt>[^"]+)"$/.exec(command);
  const prompt = said?.groups?.prompt ?? '';
  if (prompt !== '') return /^[A-Z ]+$/.test(prompt) ? { does: 'write' } : { does: 'say', prompt };
  const [, asking] = /^detent (?:runs (?:confirm|reconcile)|workflow answer) (\S+) /.exec(command) ?? [];
  if (asking !== undefined)
    return { does: /^detent workflow| --answer /.test(command) ? 'answer' : 'decide', runId: asking };
  const [, to = '', type = ''] =
    /^detent workflow send (\S+) ([\w.-]+)(?: --data '.*')?$/.exec(command) ?? [];
  return to === '' || type === 'EVENT' ? null : { does: 'send', runId: to, type };
}
