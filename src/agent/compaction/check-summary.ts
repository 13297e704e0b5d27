import { DetentError } from '../../protocol/error.ts';
import { estimateTokens } from '../../protocol/ports.ts';
import { logEvent } from '../../store/stored-call.ts';
import type { RunJob } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';
import { sumTokens } from '../prompt/compaction-point.ts';
import { identifiersIn, maxIdentifiers, missingFrom } from './identifiers.ts';
import type { CompactionPlan } from './plan.ts';
import { blockText } from './transcript.ts';

/** How many of the newest summarised answers contribute identifiers. */
const latestAnswers = 2;

interface Candidate {
  /** The model's text. */
  words: string;
  /** The model's text followed by the user's own words, which have their own maximum. */
  text: string;
  plan: Pick<CompactionPlan, 'old' | 'kept' | 'summary'>;
}

/**
 * Checks a summary; null when it passes. A summary must not be empty, must be shorter than the messages that it replaces,
 * and must keep the identifiers that the user or the latest answers named. Those in the user's words after it, or in the
 * messages that stay whole, count as kept.
 *
 * @returns DetentError `SUMMARY_REJECTED`, with `details.missing`
 */
export function checkSummary({ words, text, plan }: Candidate): DetentError | null {
  if (words === '') return rejected('the model wrote an empty summary');
  const { old, kept, summary } = plan;
  if (estimateTokens(words) >= sumTokens(old) + estimateTokens(summary ?? ''))
    return rejected('it is not shorter than the messages that it should replace');
  const around = [text, ...kept.map((block) => blockText(block))].join('\n');
  const missing = missingFrom(around, keyIdentifiers(plan));
  return missing.length === 0 ? null : rejected(`it leaves out ${missing.join(', ')}`, missing);
}

function keyIdentifiers({ old }: Pick<CompactionPlan, 'old'>): string[] {
  const users = old.flatMap((block) => (block.kind === 'user' ? [block.text] : []));
  const answers = old.flatMap((block) => (block.kind === 'answer' ? [block.body.text] : []));
  return identifiersIn([...users.reverse(), ...answers.slice(-latestAnswers).reverse()], maxIdentifiers);
}

function rejected(why: string, missing: string[] = []): DetentError {
  return new DetentError('SUMMARY_REJECTED', why, { details: { missing } });
}

/** The identifiers that a rejected summary leaves out. */
export function missingIn(rejection: DetentError | null): readonly string[] {
  return (rejection?.details.missing as string[] | undefined) ?? [];
}

/** How many transitions back a failed attempt can be: messages and take-overs may come between. */
const lookBack = 50;

/** Why the previous attempt was rejected. Read from the log, so that it survives a crash. */
export async function rejectionBefore(store: Store, { run }: Pick<RunJob, 'run'>): Promise<string | null> {
  const after = Math.max(0, run.seq - lookBack);
  const events = await store.query('listEvents', { run: run.pk, after, limit: run.seq - after });
  const last = events.findLast(({ type }) => /^(?:compact|flush)\.(?:done|failed)$/.test(type));
  if (last?.type !== 'compact.failed') return null;
  const { error } = logEvent(last);
  return error?.code === 'SUMMARY_REJECTED' ? error.message : null;
}
