import { describe, expect, it } from 'vitest';
import { type Entry, emptyStory, type RunStory } from '../../../../../web/src/data/conversation/entries.ts';
import { Rows } from '../../../../../web/src/pages/chat/conversation/rows.ts';

const entry = (kind: Entry['kind'], stay: string, toSeq: number | null = 2): Entry => ({
  key: `${kind} ${stay}`,
  runId: 'r',
  kind,
  stay,
  fromSeq: 1,
  toSeq,
  at: 1,
  endedAt: toSeq,
  content: [],
  isAnswered: false,
  isOfChart: false,
  usage: null,
});

const story = (entries: Entry[], endedAt: number | null = null): RunStory => ({
  ...emptyStory('r'),
  entries,
  endedAt,
});

const lines = (rows: ReturnType<Rows['of']>) =>
  rows.map((row) => {
    if (row.type === 'older') return 'older';
    const { entry, isFirst, isLast, isLive, falls } = row;
    const marks = { isFirst, isLast, isLive, falls };
    return [entry.key, ...Object.entries(marks).flatMap(([name, is]) => (is ? [name] : []))].join(' ');
  });

describe('the rows of a session', () => {
  it('have a line that begins behind the person and ends with the run, or falls into the dock', () => {
    const asked = [
      entry('user', 'thinking'),
      entry('stay', 'thinking'),
      entry('stay', 'awaitingConfirm', null),
    ];
    expect(lines(new Rows().of([story(asked)], true))).toEqual([
      'older',
      'user thinking isFirst',
      'stay thinking isFirst',
      'stay awaitingConfirm isLive falls',
    ]);
    const ended = [entry('user', 'thinking'), entry('stay', 'thinking'), entry('end', 'done')];
    expect(lines(new Rows().of([story(ended, 2)], false))).toEqual([
      'user thinking isFirst',
      'stay thinking isFirst',
      'end done isLast',
    ]);
  });

  it('are the same objects while nothing changed', () => {
    const rows = new Rows();
    const old = story([entry('user', 'thinking'), entry('end', 'done')], 2);
    const first = entry('stay', 'thinking');
    const before = rows.of([old, story([first, entry('stay', 'tooling', null)])], false);
    const after = rows.of([old, story([first, entry('stay', 'tooling', null)])], false);
    expect(after.slice(0, 3).every((row, at) => row === before[at])).toBe(true);
    expect(after[3]).not.toBe(before[3]);
  });
});
