import { describe, expect, it } from 'vitest';
import { bottomOf, lanesOf, rowsOf } from '../../../../../web/src/pages/inspector/timeline/lanes.ts';
import { barAt, type SceneParts, sceneOf } from '../../../../../web/src/pages/inspector/timeline/scene.ts';
import { spanOf, traceOf } from '../trace.ts';

const thinking = 'active.working.thinking.requesting';
const tooling = 'active.working.tooling.executing';

const trace = traceOf(
  [
    [0, 'run.start', thinking],
    [400, 'model.done', tooling],
    [600, 'tool.done', tooling],
    [800, 'tool.done', 'active.awaitingConfirm'],
    [1_000, 'confirm.decide', 'done'],
  ],
  [
    { lane: 'model', label: 'step 1', startedAt: 0, endedAt: 400 },
    { lane: 'tools', label: 'a', startedAt: 400, endedAt: 600, seq: 2 },
    { lane: 'tools', label: 'b', startedAt: 400, endedAt: 800, seq: 2, failed: 'TOOL_FAILED' },
    { lane: 'people', label: 'pay', kind: 'confirm', startedAt: 800, endedAt: null, endSeq: null, seq: 4 },
  ],
);

function scene(over: Partial<SceneParts> = {}) {
  const used = over.trace ?? trace;
  const rows = rowsOf(used.spans);
  return sceneOf({
    trace: used,
    keys: ['think', 'tool', 'tool', 'ask', 'done'],
    seq: 3,
    notches: { first: 1, last: used.transitions.length },
    lanes: lanesOf(used, rows, 78),
    rows,
    width: 1_028,
    until: 1_000,
    ...over,
  });
}

describe('the lanes', () => {
  it('of an agent’s run are there from its start, so that they do not move while it goes on', () => {
    const young = traceOf([[0, 'run.start', thinking]]);
    const names = lanesOf(young, rowsOf([]), 0).map(({ name }) => name);
    expect(names).toEqual(['state', 'model', 'tools', 'people']);
  });

  it('of another machine are those in which anything happens', () => {
    const machine = { name: 'job', version: 1, hash: null, known: true };
    const job = traceOf([[0, 'slot.due', 'running']], [{ lane: 'host' }], { machine });
    expect(lanesOf(job, rowsOf(job.spans), 0).map(({ name }) => name)).toEqual(['state', 'host']);
  });

  it('have a row for each of the spans that overlap, three at most', () => {
    const many = Array.from({ length: 5 }, (_, i) =>
      spanOf({ id: i, lane: 'tools', startedAt: i, endedAt: 100 }),
    );
    expect([...rowsOf([...many, spanOf({ id: 9, lane: 'tools', startedAt: 100 })]).values()]).toEqual([
      0, 1, 2, 2, 2, 0,
    ]);
  });

  it('lie below each other', () => {
    const lanes = lanesOf(trace, rowsOf(trace.spans), 78);
    for (const [i, { top }] of lanes.entries())
      if (i > 0) expect(top).toBeGreaterThanOrEqual(bottomOf(lanes.slice(0, i)));
  });
});

describe('the timeline', () => {
  it('leads each notch, all equally far apart, to its moment', () => {
    const { notches } = scene();
    expect(notches.map(({ x }) => x)).toEqual([14, 264, 514, 764, 1_014]);
    expect(notches.map(({ timeX }) => Math.round(timeX))).toEqual([14, 414, 614, 814, 1_014]);
  });

  it('has a bar for each stay in a state and each span, and fades what comes after the shown moment', () => {
    const { bars } = scene();
    const told = bars.map(({ key, text, isReached, isFailed }) => [key, text, isReached, isFailed]);
    expect(told).toEqual([
      ['think', '', true, false],
      ['tool', '', true, false],
      ['tool', '', true, false],
      ['ask', '', false, false],
      ['think', 'step 1', true, false],
      ['tool', 'a', true, false],
      ['tool', 'b: TOOL_FAILED', true, true],
      ['ask', 'pay?', false, false],
    ]);
  });

  it('lets what goes on reach to now', () => {
    const { ended: _, ...live } = trace;
    const { bars } = scene({ trace: { ...live, ended: false }, until: 2_000 });
    const open = bars.find(({ text }) => text === 'pay?');
    expect(Math.round((open?.x ?? 0) + (open?.width ?? 0))).toBe(1_014);
  });

  it('of a window of a long run has only what happened then', () => {
    const { notches, bars } = scene({ notches: { first: 4, last: 5 }, seq: 4 });
    expect(notches.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(bars.flatMap(({ text }) => text || [])).toEqual(['b: TOOL_FAILED', 'pay?']);
  });

  it('keeps what took 20 ms visible, and to be found, beside a wait of two days', () => {
    const until = 2 * 86_400_000;
    const machine = { name: 'workflow:order', version: 1, hash: null, known: true };
    const flow = traceOf(
      [
        [0, 'run.start', 'checking'],
        [20, 'service.done', 'waiting'],
        [until - 20, 'service.done', 'sending'],
        [until, 'service.done', 'done'],
      ],
      [
        { lane: 'host', label: 'check', startedAt: 0, endedAt: 20 },
        { lane: 'host', label: 'ask', startedAt: 20, endedAt: until - 20, seq: 2 },
        { lane: 'host', label: 'send', startedAt: until - 20, endedAt: until, seq: 3 },
      ],
      { machine },
    );
    const shown = scene({ trace: flow, until });
    for (const text of ['check', 'ask', 'send', 'checking', 'waiting', 'sending']) {
      const bar = shown.bars.find((one) => one.text === text);
      expect(bar?.width, text).toBeGreaterThanOrEqual(1);
      expect(bar && barAt(shown, bar.x + 1, bar.top + 3)?.text).toBe(text);
      if (bar) expect(bar.x + bar.width).toBeLessThanOrEqual(1_028);
    }
    const [check, ask, send] = shown.bars.filter(({ span }) => span !== null);
    expect([check?.width, send?.width]).toEqual([3, 3]);
    expect(ask?.x).toBe((check?.x ?? 0) + 3);
  });

  it('finds the bar at a point', () => {
    const shown = scene();
    const bar = shown.bars.find(({ text }) => text === 'a');
    expect(bar && barAt(shown, bar.x + 5, bar.top + 3)?.text).toBe('a');
    expect(barAt(shown, 5, 5)).toBeUndefined();
  });
});
