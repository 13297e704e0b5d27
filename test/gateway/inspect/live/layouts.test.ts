import { expect, it } from 'vitest';
import { LiveLayouts } from '../../../../src/gateway/inspect/live/layouts.ts';
import { definitionOf } from '../../../../src/runtime/chart/definition.ts';
import { layoutOf } from '../../../../src/runtime/chart/layout.ts';
import { itDeep } from '../../../support/deep.ts';
import { example } from '../../../support/inspection.ts';

const chart = definitionOf('walker', 0, example);

/** A chart in which every state leads to every other one. */
function tangle(count: number) {
  const ids = Array.from({ length: count }, (_, i) => `s${i}`);
  const states = ids.map((id) => ({
    id,
    key: id,
    type: 'atomic' as const,
    initial: null,
    states: [],
    transitions: ids.map((to, i) => ({
      id: `${id}#${i}`,
      event: 'go',
      guard: null,
      targets: [to],
      actions: [],
    })),
  }));
  return { name: 'tangle', version: 0, hash: String(count), initial: 's0', states, transitions: [] };
}

it('is that of the same chart in this thread', async () => {
  expect(await new LiveLayouts().of(chart)).toEqual({ layout: await layoutOf(chart), refused: null });
});

it('is made once for each chart', async () => {
  const layouts = new LiveLayouts();
  const [first, second] = await Promise.all([layouts.of(chart), layouts.of(chart)]);
  expect(first.layout).toBe(second.layout);
  expect((await layouts.of(chart)).layout).toBe(first.layout);
});

it.each([
  ['edges', 20, '20 states and 400 edges'],
  ['edges, though few states', 12, '12 states and 144 edges'],
])('is refused for a chart with too many %s', async (_, count, words) => {
  expect(await new LiveLayouts().of(tangle(count))).toMatchObject({
    layout: null,
    refused: expect.stringContaining(words),
  });
});

itDeep('has straight lines when it would take too long, and this thread goes on meanwhile', async () => {
  const layouts = new LiveLayouts({ maxEdges: 10_000, timeoutMs: 300 });
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  expect(await layouts.of(tangle(40))).toMatchObject({ refused: null });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
  expect(await new LiveLayouts().of(chart)).toMatchObject({ refused: null });
});

it('is refused when too many are waited for', async () => {
  const layouts = new LiveLayouts();
  const all = Array.from({ length: 12 }, (_, i) => layouts.of({ ...chart, hash: String(i) }));
  const refused = (await Promise.all(all)).filter(({ refused }) => refused !== null);
  expect(refused.map((one) => one.refused)).toEqual(
    refused.map(() => 'too many charts are being laid out: ask again'),
  );
  expect(refused).toHaveLength(2);
});

it('fails for one chart alone: those behind it, and later ones, are laid out', async () => {
  const layouts = new LiveLayouts();
  const [state] = tangle(1).states;
  const transitions = [{ id: '#0', event: 'go', guard: null, targets: ['nowhere'], actions: [] }];
  const broken = { ...tangle(1), hash: 'broken', states: state ? [{ ...state, transitions }] : [] };
  const [first, second] = await Promise.all([layouts.of(broken), layouts.of(chart)]);
  expect(first).toMatchObject({ layout: null, refused: expect.stringContaining('cannot be laid out') });
  expect(second.refused).toBe(null);
  expect((await layouts.of(tangle(3))).refused).toBe(null);
});
