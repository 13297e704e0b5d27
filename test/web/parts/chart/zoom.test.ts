import { describe, expect, it } from 'vitest';
import { fitting, readable, revealed, scales, zoomed } from '../../../../web/src/parts/chart/zoom.ts';

describe('the scale at which a chart fits its pane', () => {
  it('shows all of it', () => {
    expect(fitting({ width: 1_000, height: 500 }, { width: 800, height: 600 })).toBe(0.8);
    expect(fitting({ width: 1_000, height: 500 }, { width: 2_000, height: 350 })).toBe(0.7);
  });

  it('is one at which it can be read, and not one at which it looks like a poster', () => {
    expect(fitting({ width: 4_000, height: 500 }, { width: 400, height: 600 })).toBe(0.1);
    expect(readable({ width: 4_000, height: 500 }, { width: 400, height: 600 })).toBe(scales.readable);
    // A little too wide: it is scrolled, not smaller.
    expect(readable({ width: 1_000, height: 900 }, { width: 650, height: 400 })).toBe(scales.readable);
    expect(readable({ width: 1_000, height: 400 }, { width: 900, height: 400 })).toBe(0.9);
    expect(fitting({ width: 100, height: 50 }, { width: 2_000, height: 2_000 })).toBe(scales.largestFit);
    expect(fitting({ width: 0, height: 0 }, { width: 390, height: 600 })).toBe(1);
  });
});

describe('zooming', () => {
  it('keeps what is under the pointer there', () => {
    const view = { scale: 1, left: 100, top: 50 };
    const next = zoomed(view, 2, { x: 30, y: 10 });
    expect(next).toEqual({ scale: 2, left: 230, top: 110 });
    expect((next.left + 30) / next.scale).toBe((view.left + 30) / view.scale);
  });

  it('has ends', () => {
    expect(zoomed({ scale: 1, left: 0, top: 0 }, 100, { x: 0, y: 0 }).scale).toBe(scales.most);
    expect(zoomed({ scale: 1, left: 0, top: 0 }, 0.001, { x: 0, y: 0 }).scale).toBe(scales.least);
  });
});

describe('scrolling to a state', () => {
  const pane = { width: 400, height: 300 };

  it('does nothing while it is in sight', () => {
    const view = { scale: 1, left: 10, top: 0 };
    expect(revealed(view, { x: 50, y: 50, width: 100, height: 40 }, pane)).toEqual({ left: 10, top: 0 });
  });

  it('puts it in the middle, as far as there is room', () => {
    const view = { scale: 2, left: 0, top: 0 };
    expect(revealed(view, { x: 500, y: 20, width: 100, height: 40 }, pane)).toEqual({ left: 900, top: 0 });
    expect(revealed({ ...view, left: 900 }, { x: 0, y: 20, width: 50, height: 40 }, pane).left).toBe(0);
  });
});
