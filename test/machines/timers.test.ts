import { describe, expect, it } from 'vitest';
import { initialTransition } from 'xstate';
import { idsAtWork } from '../../machines/calls.rules.ts';
import { runMachine } from '../../machines/run.machine.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { graphLimits } from '../model-based/run-graph.ts';
import type { Action } from './pure-run.ts';
import { reachable, type Snapshot } from './reachable.ts';

const { states, moves } = reachable();

/** The timers that must be set while a run is in a state, and no others. */
function timersIn(snapshot: Snapshot): string[] {
  const path = pathOf(snapshot.value);
  if (snapshot.status !== 'active') return [];
  if (path === 'idle') return ['queue'];
  if (path === 'active.awaitingConfirm') return ['confirm'];
  if (path === 'active.reconciling') return ['reconcile'];
  return path.endsWith('.backingOff') ? ['backoff', 'deadline'] : ['deadline'];
}

function folded(before: readonly string[], actions: readonly Action[]): string[] {
  const timers = new Set(before);
  for (const { type, params } of actions) {
    if (type === 'timer.set') timers.add(String(params.id));
    if (type === 'timer.clear') timers.delete(String(params.id));
  }
  return [...timers].sort();
}

describe('the timers of a run', () => {
  it('are those of its state after every transition: what entering sets, leaving clears', () => {
    const [first, actions] = initialTransition(runMachine, { limits: graphLimits });
    expect(folded([], actions as unknown as Action[])).toEqual(timersIn(first));
    for (const { before, event, after, actions: asked } of moves) {
      // A timer that fires is gone before its transition.
      const left = timersIn(before).filter((id) => event.type !== `timer.${id}`);
      const set = folded(left, asked);
      if (`${set}` !== `${timersIn(after)}`)
        expect.fail(`${pathOf(before.value)} → ${event.type} → ${pathOf(after.value)} leaves ${set}`);
    }
  });

  it('never leave a state without an exit: every state that is not final has one', () => {
    const stuck = states.filter((state) => state.status === 'active' && timersIn(state).length === 0);
    expect(stuck).toEqual([]);
  });

  it('name the event that they bring, and a delay that is not negative', () => {
    const set = moves.flatMap(({ actions }) => actions.filter(({ type }) => type === 'timer.set'));
    expect(set.length).toBeGreaterThan(0);
    for (const { params } of set) {
      expect(params.event).toBe(`timer.${params.id}`);
      expect(params.delayMs).toBeGreaterThanOrEqual(0);
    }
  });

  it('are all taken by the state that sets them', () => {
    const movesOf = Map.groupBy(moves, ({ before }) => before);
    for (const state of states)
      for (const id of timersIn(state)) {
        const taken = movesOf.get(state)?.some(({ event }) => event.type === `timer.${id}`);
        if (!taken) expect.fail(`${pathOf(state.value)} does not take timer.${id}`);
      }
  });
});

describe('a run that ends', () => {
  const endings = moves.filter(({ after }) => after.status !== 'active');

  it('aborts what was in flight and closes every open call, each once', () => {
    for (const { before, event, actions } of endings) {
      const { awaiting, pending } = before.context;
      const settled = 'effectId' in event && event.type !== 'effect.poisoned' ? event.effectId : null;
      const inFlight = [awaiting, ...idsAtWork(before.context)].filter((id) => id !== null && id !== settled);
      const ids = (type: string, key: string) =>
        actions.filter((action) => action.type === type).flatMap(({ params }) => params[key] as number[]);
      const open = [...pending.map(({ id }) => id).filter((id) => id !== settled), ...callsOf(event)];
      const done = { aborted: ids('effect.abort', 'ids').sort(), closed: ids('call.close', 'calls').sort() };
      const due = { aborted: inFlight.sort(), closed: open.sort() };
      // Thousands of them: what is alike is not compared a second time.
      if (JSON.stringify(done) !== JSON.stringify(due))
        expect(done, `${pathOf(before.value)} on ${event.type}`).toEqual(due);
    }
  });

  it('asks for no work any more', () => {
    for (const { actions } of endings)
      expect(actions.filter(({ type }) => /^effect\.(callModel|runTool|flush|compact)$/.test(type))).toEqual(
        [],
      );
  });
});

describe('every call', () => {
  it('leaves the pending ones by its fact or by one closing, never by both', () => {
    for (const { before, event, after, actions } of moves) {
      const left = before.context.pending.filter(
        ({ id }) => !after.context.pending.some((call) => call.id === id),
      );
      const closed = actions
        .filter(({ type }) => type === 'call.close')
        .flatMap(({ params }) => params.calls as number[]);
      const settled = event.type === 'tool.done' || event.type === 'tool.failed' ? [event.effectId] : [];
      const ends = [...closed, ...settled].filter((id) => !callsOf(event).includes(id)).sort();
      if (`${ends}` !== `${left.map(({ id }) => id).sort()}`)
        expect.fail(`${pathOf(before.value)} on ${event.type}: closed ${ends}`);
    }
  });
});

/** Calls that came with the very event, and were closed with it. */
function callsOf(event: (typeof moves)[number]['event']): number[] {
  if (event.type !== 'model.done') return [];
  return event.calls.filter(({ gate }) => gate !== 'refuse').map(({ callId }) => callId);
}
