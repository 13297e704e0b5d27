import type { CountedCall } from '../../store/stored-message.ts';
import type { AgentServices, Calibration } from '../services.ts';
import type { Conversation } from './read-conversation.ts';

const maxCalls = 8;
const minRatio = 0.5;
const maxRatio = 3;
/** Below this many tokens, the provider's overhead outweighs the prompt itself. */
const minEstimated = 200;
/** Beyond this ratio the report is not a count of the prompt: some servers report nothing, or only uncached tokens. */
const implausible = 4;

/**
 * The calibration ratio: tokens that the provider counted for each estimated token. A mean over its latest calls, each with
 * half the weight of the one after it. Null without usable calls.
 *
 * @param calls of one model, newest first
 */
export function countedRatio(calls: readonly CountedCall[]): number | null {
  let sum = 0;
  let weights = 0;
  let weight = 1;
  for (const { usage, estimated = 0 } of calls) {
    const isCounted = estimated >= minEstimated && !usage?.estimated;
    const ratio = !isCounted ? 0 : (usage?.inputTokens ?? 0) / estimated;
    if (ratio < 1 / implausible || ratio > implausible) continue;
    sum += ratio * weight;
    weights += weight;
    weight /= 2;
    if (weight < 2 ** -maxCalls) break;
  }
  return weights === 0 ? null : Math.min(maxRatio, Math.max(minRatio, sum / weights));
}

/** The calibration of a model: from the rows of this conversation, else from other conversations of this process. */
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

/** Adds the calibration from one call. */
export function recordCalibration(
  calibrations: AgentServices['calibrations'],
  name: string,
  learned: Partial<Calibration>,
): void {
  calibrations.set(name, { ...calibrations.get(name), ...learned });
}

/** The share of a refused conversation to try next. */
const nextShare = 0.75;
/** A shorter conversation was refused for another reason, so shortening it further would not help. */
const minRefused = 1_000;

/**
 * The calibration from a prompt that the provider refused as too long although it should have fitted.
 *
 * @param prompt.estimated its estimated tokens
 * @param prompt.fixed the part of them that compaction cannot reduce: system prompt and tools
 * @param contextWindow the window known so far
 */
export function learnedFromRefusal(
  { estimated, fixed }: { estimated: number; fixed: number },
  contextWindow: number,
  message: string,
): Partial<Calibration> {
  const named = windowNamedIn(message);
  // An error that names the known window means that the estimate was wrong.
  const window = named !== null && named < contextWindow ? { window: named } : {};
  const spoken = estimated - fixed;
  if (spoken < minRefused) return window;
  return { ...window, room: Math.floor(fixed + spoken * nextShare) };
}

const minNamed = 256;

/** The window in an error message, such as "maximum context length is 8192 tokens" or "> 200000 maximum". */
export function windowNamedIn(message: string): number | null {
  const plain = message.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1');
  const [, ahead, behind] =
    /(?:context (?:length|window|size)|token limit|maximum)[^\d]{0,40}?(\d{3,8})\b|(\d{3,8})(?: tokens?)? (?:maximum|context)/i.exec(
      plain,
    ) ?? [];
  const named = Number(ahead ?? behind ?? 0);
  return named >= minNamed ? named : null;
}
