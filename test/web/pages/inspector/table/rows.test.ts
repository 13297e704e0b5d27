import { describe, expect, it } from 'vitest';
import { rowHeight, rowsToShow, scrolledTo } from '../../../../../web/src/pages/inspector/table/rows.ts';

describe('the rows of a long table', () => {
  it('are made only where they can be seen, and a few beyond', () => {
    expect(rowsToShow(0, 320, 5_000)).toEqual({ first: 0, last: 14 });
    expect(rowsToShow(100 * rowHeight, 320, 5_000)).toEqual({ first: 96, last: 114 });
    expect(rowsToShow(4_990 * rowHeight, 320, 5_000)).toEqual({ first: 4_986, last: 5_000 });
  });

  it('are none of an empty table, and never beyond the end of one that has become shorter', () => {
    expect(rowsToShow(0, 320, 0)).toEqual({ first: 0, last: 0 });
    expect(rowsToShow(9_000, 320, 3)).toEqual({ first: 3, last: 3 });
  });
});

describe('scrolling to a row', () => {
  it('does nothing while the row and its neighbours are in sight', () => {
    expect(scrolledTo(5, 0, 320)).toBe(0);
  });

  it('goes no further than needed, up and down', () => {
    expect(scrolledTo(50, 0, 320)).toBe(52 * rowHeight - 320);
    expect(scrolledTo(50, 3_000, 320)).toBe(49 * rowHeight);
    expect(scrolledTo(0, 3_000, 320)).toBe(0);
  });
});
