import { estimateTokens } from '../../ports/tokens.ts';
import { DetentError } from '../../protocol/error.ts';
import { logEvent } from '../../records/log-event.ts';
import { sumTokens } from '../prompt/compaction-point.ts';
import type { RunJob } from '../run-effect.ts';
import type { Store } from '../statements.ts';
import type { CompactionPlan } from './plan.ts';
import { blockText } from './transcript.ts';

/** Maximum of identifiers that a summary must keep. */
const maxIdentifiers = 24;
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
    return rejected('it is not shorter than the messages that it would stand for');
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

/** Identifiers that a reader of a summary cannot guess: one wrong letter makes them useless. */
const patterns: readonly RegExp[] = [
  // URLs
  /\bhttps?:\/\/[^\s<>"'`)\]}]+/g,
  // e-mail addresses
  /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g,
  // codes in quotes: short, without spaces
  /(?<=["“`'])[^\s"”`']{3,60}(?=["”`'])/g,
  // paths with a path's beginning or a file's ending, so that "and/or" does not match
  /(?<![\w/.])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)[\w.-]+(?:[/\\][\w.-]+)+/g,
  /(?<![\w/.])[\w.-]+(?:\/[\w.-]+)*\/[\w-]+\.[A-Za-z]\w{0,4}\b/g,
  // ids: letters with digits, as in ORD-4711, run_x1y2z3 or 9f86d081; "20-year" does not match
  /\b(?!\d+-[a-z]+\b)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{4,}\b/g,
  // numbers of at least four digits before the point, and those that are grouped
  /(?<![\w.,])(?:\d{4,}(?:\.\d{1,2})?|\d{1,3}(?:[,.]\d{3})+)(?!\w|[.,]\d)/g,
];

const longest = 200;

/**
 * The identifiers in some texts: URLs, addresses, paths, ids, long numbers, codes in quotes. Those of earlier texts
 * first, at most `most`, each once.
 */
export function identifiersIn(texts: Iterable<string>, most: number): string[] {
  const found = new Map<string, string>();
  for (const text of texts)
    for (const each of inOrder(text)) {
      const plain = normal(each);
      // Part of an earlier match, such as the host of a URL.
      if (
        plain.length < 3 ||
        each.length > longest ||
        [...found.keys()].some((other) => other.includes(plain))
      )
        continue;
      found.set(plain, each);
      if (found.size >= most) return [...found.values()];
    }
  return [...found.values()];
}

function inOrder(text: string): string[] {
  const hits = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({
      at: match.index,
      what: match[0].replace(/[.,;:!?]+$/, ''),
    })),
  );
  return hits.sort((a, b) => a.at - b.at || b.what.length - a.what.length).map(({ what }) => what);
}

/** The identifiers that a text lacks. Ignores case and the grouping of digits. */
export function missingFrom(text: string, identifiers: readonly string[]): string[] {
  const there = normal(text);
  return identifiers.filter((each) => !there.includes(normal(each)));
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/(?<=\d)[,.’ ](?=\d{3}(?!\d))/g, '');
}
