import { type Clause, toClause } from './clause.ts';
import { rules } from './rules/index.ts';
import type { DemoCall } from './rules/rule.ts';
import { type Segment, segmentsOf } from './segments.ts';
import { type SmallTalk, smallTalkIn } from './small-talk.ts';

/** A part of a message: a request for a tool, small talk, or something that no rule matches. */
export type Part =
  | { kind: 'call'; call: DemoCall; text: string }
  | { kind: 'talk'; talk: SmallTalk }
  | { kind: 'unknown'; text: string };

/** A reading of the message from one segment to its end. */
interface Reading {
  unknown: number;
  parts: number;
  head: Part | null;
  rest: Reading | null;
}

/** The demo does not read longer messages at all: half of a request is not what the user asked for. */
export const maxMessageLength = 2_000;
const maxSegments = 16;

/**
 * Reads a message as a list of requests.
 *
 * Of all ways to group its segments into clauses it takes the one that leaves the fewest segments without a rule,
 * and of those the one with the most clauses, so that "create a.txt with salt and pepper" is one request and
 * "what time is it and what is 2+3" are two. Work is bounded: at most 16 segments, hence 136 clauses of at most
 * 2,000 characters; more segments than that are read as one clause.
 */
export function understand(message: string): Part[] {
  if (message.length > maxMessageLength) return [{ kind: 'unknown', text: message }];
  const found = segmentsOf(message);
  const segments = found.length <= maxSegments ? found : [{ start: 0, end: message.length }];
  return partsOf(bestReading(message, segments));
}

function bestReading(message: string, segments: readonly Segment[]): Reading {
  const end: Reading = { unknown: 0, parts: 0, head: null, rest: null };
  const bestFrom: Reading[] = new Array(segments.length + 1).fill(end);
  for (let from = segments.length - 1; from >= 0; from--) {
    let best: Reading | null = null;
    for (let to = from; to < segments.length; to++) {
      const text = message.slice(segments[from]?.start, segments[to]?.end);
      const head = partIn(toClause(text));
      const rest = bestFrom[to + 1] ?? end;
      if (head) best = better(best, { unknown: rest.unknown, parts: rest.parts + 1, head, rest });
      else if (to === from)
        best = {
          unknown: rest.unknown + 1,
          parts: rest.parts,
          head: { kind: 'unknown', text: text.trim() },
          rest,
        };
    }
    bestFrom[from] = best ?? end;
  }
  return bestFrom[0] ?? end;
}

function better(one: Reading | null, other: Reading): Reading {
  if (!one || other.unknown < one.unknown) return other;
  return other.unknown === one.unknown && other.parts > one.parts ? other : one;
}

function partIn(clause: Clause): Part | null {
  const talk = smallTalkIn(clause.text);
  if (talk) return { kind: 'talk', talk };
  for (const rule of rules) {
    const call = rule.match(clause);
    if (call) return { kind: 'call', call, text: clause.text };
  }
  return null;
}

function partsOf(reading: Reading): Part[] {
  const parts: Part[] = [];
  for (let at: Reading | null = reading; at?.head; at = at.rest) parts.push(at.head);
  return parts;
}
