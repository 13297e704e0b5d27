import type { FireView } from '#src/protocol/views.ts';
import { errorInWords } from '../../parts/why/finding.ts';

/** How a slot is drawn: what became of it. */
type BarKind = 'done' | 'failed' | 'cancelled' | 'missed' | 'none' | 'working' | 'waiting';

export interface Bar {
  slot: FireView;
  kind: BarKind;
  /** In pixels. */
  height: number;
}

export const barsShown = 24;
export const tallest = 26;
const [shortest, blank] = [6, 12];

const missed: readonly string[] = ['missed', 'coalesced', 'too_old'];

/** The last slots as bars, oldest first. The height of those that ran says how long they took, beside the longest of them. */
export function barsOf(slots: readonly FireView[]): Bar[] {
  const shown = slots.slice(0, barsShown).reverse();
  const longest = Math.max(1, ...shown.map((slot) => tookMs(slot) ?? 0));
  return shown.map((slot) => {
    const kind = kindOf(slot);
    return { slot, kind, height: heightOf(kind, tookMs(slot), longest) };
  });
}

export function kindOf({ status, reason, runStatus, waitsForEvent }: FireView): BarKind {
  switch (status) {
    case 'ok':
      return 'done';
    case 'failed':
    case 'cancelled':
      return status;
    case 'skipped':
      return missed.includes(reason ?? '') ? 'missed' : 'none';
    default:
      return runStatus === 'waiting' && !waitsForEvent ? 'waiting' : 'working';
  }
}

/** How long its run took; null while it is at work, and for a slot that did not run. */
export function tookMs({ begunAt, endedAt }: FireView): number | null {
  return begunAt === null || endedAt === null ? null : Math.max(0, endedAt - begunAt);
}

function heightOf(kind: BarKind, took: number | null, longest: number): number {
  if (kind === 'failed' || kind === 'missed') return tallest;
  if (kind !== 'done' || took === null) return blank;
  return Math.round(shortest + (tallest - shortest) * (took / longest));
}

interface Summary {
  done: number;
  failed: number;
  cancelled: number;
  missed: number;
  others: number;
  /** Why the newest failed one failed. */
  failure: string | null;
}

/** What became of the slots that the bars show. */
export function summaryOf(bars: readonly Bar[]): Summary {
  const newest = bars.findLast(({ kind }) => kind === 'failed')?.slot.error;
  const count = (kind: BarKind) => bars.filter((bar) => bar.kind === kind).length;
  return {
    done: count('done'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    missed: count('missed'),
    others: count('none'),
    failure: newest ? errorInWords(newest) : null,
  };
}
