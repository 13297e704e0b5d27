import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import type { EffectRow } from '../../../src/store/rows.ts';
import { OutsideEvents } from '../../../src/workflow/host/outside-events.ts';
import { createWorkflowHost } from '../../../src/workflow/host/workflow-host.ts';
import { step } from '../../../src/workflow/index.ts';

const run = () => null;

describe('a step whose process died', () => {
  it('goes by the class of the service that a migration has given it, whatever its row calls it', () => {
    const pay = step({ sideEffect: 'idempotent', run });
    const payOnce = step({ sideEffect: 'unsafe', run });
    const chart = setup({ actors: { pay, payOnce } }).createMachine({ id: 'refund', version: '2' });
    const { effects } = createWorkflowHost('refund', chart, {} as never, new Map());
    const row = { n: 1, params: JSON.stringify({ src: 'pay' }) } as EffectRow;
    const recovered = (src: string) =>
      effects['effect.step']?.recover(row, { open: [{ kind: 'step', id: 'pay', n: 1, src }] } as never);
    expect([recovered('pay'), recovered('payOnce'), recovered('gone')]).toEqual([
      'perform',
      'uncertain',
      'uncertain',
    ]);
  });
});

describe('events from outside', () => {
  it('are those that a wildcard covers in XState, and no others', () => {
    const chart = setup({}).createMachine({
      id: 'desk',
      initial: 'still',
      states: { still: { on: { 'mouse.*': 'moved' } }, moved: {} },
    });
    const events = new OutsideEvents(chart);
    const taken = ['mouse', 'mouse.up', 'mouse.up.left', 'mousetrap', 'run.x'].filter((type) =>
      events.has(type),
    );
    expect(taken).toEqual(['mouse', 'mouse.up', 'mouse.up.left']);
  });
});
