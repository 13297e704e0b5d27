import { describe, expect, it } from 'vitest';
import {
  firstVisits,
  nameOf,
  nextVisit,
  type Visit,
  visitAt,
  visited,
} from '../../../../web/src/pages/tour/visits.ts';

const paths = [
  'idle',
  'active.working.thinking.requesting',
  'active.working.thinking.backingOff',
  'active.working.thinking.requesting',
  'active.working.tooling.executing',
  'active.working.tooling.executing',
  'active.working.deciding',
  'active.awaitingConfirm',
  'active.working.compacting.flushing',
  'active.working.compacting.summarizing',
  'done',
];
const visits = paths.reduce<readonly Visit[]>((list, path, seq) => visited(list, seq, path), []);

describe('the states that the guide explains', () => {
  it('are those that look otherwise than the one before', () => {
    expect(visits.map(({ seq, state }) => `${seq} ${state}`)).toEqual([
      '0 idle',
      '1 think',
      '2 back',
      '3 think',
      '4 tool',
      '7 ask',
      '8 comp',
      '10 done',
    ]);
  });

  it('have the names of the statechart', () => {
    expect(firstVisits(visits).map(nameOf)).toEqual([
      'idle',
      'thinking',
      'backingOff',
      'tooling',
      'awaitingConfirm',
      'compacting',
      'done',
    ]);
  });

  it('come one after the other, each new one once, and then the newest', () => {
    const shown = [0];
    while ((shown.at(-1) ?? 0) < visits.length - 1) shown.push(nextVisit(visits, shown.at(-1) ?? 0));
    expect(shown.map((i) => visits[i]?.state)).toEqual([
      'idle',
      'think',
      'back',
      'tool',
      'ask',
      'comp',
      'done',
    ]);
    const again = visited(visits.slice(0, 7), 12, 'active.working.thinking.requesting');
    expect(nextVisit(again, 6)).toBe(7);
  });

  it('are found by a transition of the past', () => {
    expect([0, 3, 6, 9, 99].map((seq) => visits[visitAt(visits, seq)]?.state)).toEqual([
      'idle',
      'think',
      'tool',
      'comp',
      'done',
    ]);
  });
});
