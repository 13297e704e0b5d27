import { describe, expect, it } from 'vitest';
import type { JobDefinition } from '../../../machines/job.types.ts';
import { createZones } from '../../../src/schedule/times/zone.ts';
import { slotsOf } from '../../../src/schedule/work/due-slots.ts';

const minute = 60_000;

const definition = (over: Partial<JobDefinition> = {}): JobDefinition => ({
  schedule: { kind: 'every', everyMs: minute, anchorMs: 0 },
  prompt: 'p',
  agent: null,
  skill: null,
  deliver: [],
  misfire: 'once',
  graceMs: 30_000,
  windowMs: null,
  overlap: 'skip',
  jitterMs: 0,
  pauseAfter: null,
  alertAfter: null,
  alert: [],
  keep: 100,
  limits: null,
  budget: null,
  attempts: 1,
  ...over,
});

/** The slots up to the end of a number of minutes. */
const due = (minutes: number, over: Partial<JobDefinition> = {}, after = 0) =>
  slotsOf(definition(over), { key: 'k', after, until: minutes * minute, missedAs: 'missed' }, createZones());

describe('the slots that have come due', () => {
  it('are each in one of the lists, with the next one', () => {
    const found = due(3);
    expect(found).toMatchObject({ fire: [3 * minute], counted: 0, more: false, next: { slot: 4 * minute } });
    expect(found.skipped.map(({ slot, reason }) => [slot / minute, reason])).toEqual([
      [1, 'coalesced'],
      [2, 'coalesced'],
    ]);
  });

  it.each([
    [
      'once',
      [4],
      [
        [1, 'coalesced'],
        [2, 'coalesced'],
        [3, 'coalesced'],
      ],
    ],
    [
      'skip',
      [4],
      [
        [1, 'coalesced'],
        [2, 'coalesced'],
        [3, 'coalesced'],
      ],
    ],
    ['all', [1, 2, 3, 4], []],
  ] as const)('say under %s that nothing ran, also within the grace', (misfire, fired, missed) => {
    const found = due(4.5, { misfire, graceMs: 10 * minute });
    expect(found.fire.map((slot) => slot / minute)).toEqual(fired);
    expect(found.skipped.map(({ slot, reason }) => [slot / minute, reason])).toEqual(missed);
  });

  it('are on time one by one within the grace', () => {
    const found = due(1.5, { misfire: 'skip', graceMs: 10 * minute });
    expect([found.fire, found.skipped]).toEqual([[minute], []]);
  });

  it('are counted only when the job would not keep them', () => {
    const found = due(1_000, { keep: 10 });
    expect(found.counted).toBe(990);
    expect(found.skipped.map(({ slot }) => slot / minute)).toEqual([
      991, 992, 993, 994, 995, 996, 997, 998, 999,
    ]);
    expect(found.fire).toEqual([1_000 * minute]);
    expect(due(1_000, { keep: 10, misfire: 'skip' })).toMatchObject({ counted: 990, fire: [] });
  });

  it('come in pages, each slot in one of them', () => {
    for (const keep of [10, 500, 501, 1_000_000]) {
      const until = 12_000;
      let [after, seen, pages] = [0, 0, 0];
      for (;;) {
        const { upTo, fire, skipped, counted, more } = due(until, { keep }, after);
        expect(skipped.length).toBeLessThanOrEqual(500);
        seen += fire.length + skipped.length + counted;
        pages++;
        after = upTo;
        if (!more) break;
        expect(fire).toEqual([]);
      }
      expect({ keep, seen }).toEqual({ keep, seen: until });
      expect(pages).toBe(keep <= 500 ? 3 : 24);
    }
  });

  it('are none when the clock was set back, and the next one is behind those on record', () => {
    expect(due(60, {}, 90 * minute)).toMatchObject({ fire: [], skipped: [], next: { slot: 91 * minute } });
  });
});
