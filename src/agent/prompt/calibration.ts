import type { CountedCall } from '../../records/messages.ts';
import type { AgentServices, Calibration } from '../services.ts';
import type { Conversation } from './conversation.ts';

const maxCalls = 8;
const minRatio = 0.5;
const maxRatio = 3;
/** Below so many tokens, what a provider wraps around a prompt counts for more than the prompt. */
const minEstimated = 200;
/** Beyond this, what was reported is no count of the prompt: some servers report nothing, or only what was not cached. */
const implausible = 4;

/**
 * By how much a provider counts otherwise than we do: the mean over its latest calls, each weighing half as much as the
 * one after it. Null when there is nothing to learn from.
 *
 * @param calls of one model, newest first
 */
export function countedRatio(calls: readonly CountedCall[]): number | null {
  let sum = 0;
  let weights = 0;
  let weight = 1;
  for (const { usage, estimated = 0 } of calls) {
    const ratio = estimated < minEstimated ? 0 : (usage?.inputTokens ?? 0) / estimated;
    if (ratio < 1 / implausible || ratio > implausible) continue;
    sum += ratio * weight;
    weights += weight;
    weight /= 2;
    if (weight < 2 ** -maxCalls) break;
  }
  return weights === 0 ? null : Math.min(maxRatio, Math.max(minRatio, sum / weights));
}

/** All that is known of a model: from the rows of a conversation, else from other conversations of this process. */
export function calibrationOf(
  calibrations: AgentServices['calibrations'],
  name: string,
  { callsOf, refusedBy }: Pick<Conversation, 'callsOf' | 'refusedBy'>,
): Calibration {
  const own = countedRatio(callsOf(name));
  if (own !== null) recordCalibration(calibrations, name, { ratio: own });
  const { ratio = 1, window, room } = calibrations.get(name) ?? {};
  const written = refusedBy(name);
  return {
    ratio: own ?? ratio,
    window: window ?? written.window ?? null,
    room: room ?? written.room ?? null,
  };
}

/** Adds what a call has taught of a model. */
export function recordCalibration(
  calibrations: AgentServices['calibrations'],
  name: string,
  learned: Partial<Calibration>,
): void {
  calibrations.set(name, { ...calibrations.get(name), ...learned });
}

/** Of the conversation in a refused prompt, so much is tried next. */
const nextShare = 0.75;
/** A shorter conversation was refused for something else, and one that is shorter still would not help. */
const minRefused = 1_000;

/**
 * What a prompt teaches that the provider refused as too long, though it should have fitted.
 *
 * @param prompt.estimated its tokens, by our estimate
 * @param prompt.fixed those of them that no compaction takes away: system prompt and tools
 * @param contextWindow as we know it
 */
export function learnedFromRefusal(
  { estimated, fixed }: { estimated: number; fixed: number },
  contextWindow: number,
  message: string,
): Partial<Calibration> {
  const named = windowNamedIn(message);
  // When it names the window that we know, it is our count that was wrong.
  const window = named !== null && named < contextWindow ? { window: named } : {};
  const spoken = estimated - fixed;
  if (spoken < minRefused) return window;
  return { ...window, room: Math.floor(fixed + spoken * nextShare) };
}

const minNamed = 256;

/** The window that an error names, as in "maximum context length is 8192 tokens" or "> 200000 maximum". */
export function windowNamedIn(message: string): number | null {
  const plain = message.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1');
  const [, ahead, behind] =
    /(?:context (?:length|window|size)|token limit|maximum)[^\d]{0,40}?(\d{3,8})\b|(\d{3,8})(?: tokens?)? (?:maximum|context)/i.exec(
      plain,
    ) ?? [];
  const named = Number(ahead ?? behind ?? 0);
  return named >= minNamed ? named : null;
}
