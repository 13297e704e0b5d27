import type { FireView } from '#src/protocol/views.ts';
import { dayAndTime, duration, hasSeconds } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { errorInWords } from '../../parts/why/finding.ts';
import { tookMs } from './bars.ts';
import { t } from './words.ts';

/** A slot in one line: `21 Nov, 18:00: done in 12 s`. */
export function slotText(slot: FireView): string {
  const note = slotNote(slot);
  const time = note === null ? slotTime(slot) : t.noted(slotTime(slot), note);
  return `${time}${language.value === 'en' ? ': ' : '：'}${outcomeText(slot)}`;
}

/** The time of a slot, with seconds where it has some. */
export function slotTime({ slot }: Pick<FireView, 'slot'>): string {
  return dayAndTime(slot, hasSeconds(slot));
}

/** Why it did not begin at its time: a person asked for it, or no process ran the schedule. */
export function slotNote({ kind, lateMs }: FireView): string | null {
  if (kind === 'manual') return t.byPerson;
  return lateMs === null ? null : t.late(duration(lateMs));
}

/** What became of it, or why it did not run. */
export function outcomeText(slot: FireView): string {
  const { status, reason, runStatus, waitsForEvent, waitsForStaff, error } = slot;
  switch (status) {
    case 'ok':
      return t.slotDone(duration(tookMs(slot) ?? 0));
    case 'failed':
      return error === null
        ? t.slotFailed
        : `${t.slotFailed}${language.value === 'en' ? ': ' : '：'}${errorInWords(error)}`;
    case 'cancelled':
      return t.slotCancelled;
    case 'queued':
      return t.slotQueued;
    case 'running':
      if (waitsForStaff) return t.slotStaff;
      if (waitsForEvent) return t.slotPatient;
      return runStatus === 'waiting' ? t.slotWaiting : t.slotRunning;
    case 'skipped':
      return reason === null ? t.notRun : t[skipWords[reason]];
  }
}

const skipWords = {
  missed: 'missedWhy',
  coalesced: 'coalescedWhy',
  too_old: 'tooOldWhy',
  overlap: 'overlapWhy',
  replaced: 'replacedWhy',
  queue_full: 'queueFullWhy',
  paused: 'pausedWhy',
  disabled: 'disabledWhy',
  updated: 'updatedWhy',
} as const satisfies Record<NonNullable<FireView['reason']>, keyof typeof t>;
