import type { StateKey } from './states.ts';

/** A path of a shape; filled, or drawn as a line of this width. */
interface ShapePath {
  d: string;
  stroke?: number;
}

/** One shape per state, in a square of 12: colour alone never carries a meaning. */
export const shapePaths: Readonly<Record<StateKey, readonly ShapePath[]>> = {
  idle: [{ d: 'M2 6a4 4 0 1 0 8 0a4 4 0 1 0-8 0', stroke: 1.6 }],
  hold: [{ d: 'M2.4 1.6h2.6v8.8H2.4zM7 1.6h2.6v8.8H7z' }],
  think: [{ d: 'M1.2 6a4.8 4.8 0 1 0 9.6 0a4.8 4.8 0 1 0-9.6 0' }],
  back: [
    { d: 'M1.8 6a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0', stroke: 1.4 },
    { d: 'M6 1.8a4.2 4.2 0 0 0 0 8.4z' },
  ],
  tool: [{ d: 'M1.6 1.6h8.8v8.8h-8.8z' }],
  comp: [{ d: 'M.8 1.5 5.6 6 .8 10.5zM11.2 1.5 6.4 6l4.8 4.5z' }],
  decide: [{ d: 'M6 .6 11.4 6 6 11.4.6 6z' }],
  ask: [{ d: 'M6 1 11.5 10.8H.5z' }],
  rec: [{ d: 'M6 10.6 1.2 2h9.6z', stroke: 1.6 }],
  done: [{ d: 'M1.8 6.4 4.8 9.4 10.3 2.9', stroke: 2 }],
  fail: [{ d: 'M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8', stroke: 2.1 }],
  cancel: [
    { d: 'M1.7 6a4.3 4.3 0 1 0 8.6 0a4.3 4.3 0 1 0-8.6 0', stroke: 1.4 },
    { d: 'M3.8 6h4.4', stroke: 1.6 },
  ],
};
