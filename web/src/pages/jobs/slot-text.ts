import type { FireView } from '#src/protocol/job-view.ts';
import { dayAndTime, duration } from '../../base/format.ts';
import { language, locale } from '../../base/language.ts';
import { tookMs } from './bars.ts';
import { t } from './words.ts';

/** A slot in one line: `21 Nov, 18:00: done in 12 s`. */
export function slotText(slot: FireView): string {
  const time = slot.kind === 'manual' ? `${slotTime(slot)} (${t.byPerson})` : slotTime(slot);
  return `${time}${language.value === 'en' ? ': ' : '：'}${outcomeText(slot)}`;
}

/** The time of a slot, with seconds where it has some. */
export function slotTime({ slot }: Pick<FireView, 'slot'>): string {
  if (Math.floor(slot / 1_000) % 60 === 0) return dayAndTime(slot);
  const form = {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  return new Intl.DateTimeFormat(locale.value, { ...form, hourCycle: 'h23' }).format(slot);
}

/** What became of it, or why it did not run. */
export function outcomeText(slot: FireView): string {
  const { status, reason, runStatus, waitsForEvent, error } = slot;
  switch (status) {
    case 'ok': {
      const took = tookMs(slot);
      return t.slotDone(duration(took ?? 0));
    }
    case 'failed':
      return error === null
        ? t.slotFailed
        : `${t.slotFailed}${language.value === 'en' ? ': ' : '：'}${error.message}`;
    case 'cancelled':
      return t.slotCancelled;
    case 'queued':
      return t.slotQueued;
    case 'running':
      if (waitsForEvent) return t.slotPatient;
      return runStatus === 'waiting' ? t.slotWaiting : t.slotRunning;
    case 'skipped':
      return skipText(reason);
  }
}

function skipText(reason: FireView['reason']): string {
  switch (reason) {
    case 'missed':
      return t.missedWhy;
    case 'coalesced':
      return t.coalescedWhy;
    case 'too_old':
      return t.tooOldWhy;
    case 'overlap':
      return t.overlapWhy;
    case 'replaced':
      return t.replacedWhy;
    case 'queue_full':
      return t.queueFullWhy;
    case 'paused':
      return t.pausedWhy;
    case 'disabled':
      return t.disabledWhy;
    case 'updated':
      return t.updatedWhy;
    case null:
      return t.notRun;
  }
}
