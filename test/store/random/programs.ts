import * as fc from 'fast-check';
import type { Op } from './model.ts';

const few = (most: number) => fc.nat({ max: most });
const numbered = (most: number) => fc.integer({ min: 1, max: most });
const run = few(3);
const n = numbered(3);
const fence = numbered(3);
const driver = few(2);
const who = fc.oneof(driver, fc.constant('none' as const), fc.constant(null));
const session = few(2);
const name = few(2);
const call = numbered(2);
const dueAt = numbered(3);

const is = <const D extends Op['do']>(...all: D[]) => fc.constantFrom(...all);

/** The smaller the domain of a value, the more often rows meet. */
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ do: is('insertSession'), key: few(2) }),
  { weight: 3, arbitrary: fc.record({ do: is('insertRun'), session, id: few(4), ordinal: numbered(4) }) },
  { weight: 3, arbitrary: fc.record({ do: is('loadRun'), id: few(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: is('advanceRun', 'endRun'),
      run,
      was: few(2),
      fence: numbered(2),
      driver: who,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: is('claimRun'), run, seen: numbered(2), driver }) },
  fc.record({ do: is('passRun'), run, driver: who }),
  fc.record({ do: is('countFault'), run }),
  fc.record({ do: is('deleteRunsOf'), session }),
  { weight: 2, arbitrary: fc.record({ do: is('lastOrdinal', 'laneHead', 'listActiveRunsOf'), session }) },
  fc.record({ do: is('insertDriver') }),
  fc.record({ do: is('endDriver', 'abandonRunsOf'), driver }),
  fc.record({ do: is('insertEvent'), run, seq: few(4) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('insertEffect'),
      run,
      n,
      status: fc.constantFrom('held', 'pending', 'started', 'linked', 'uncertain', 'done'),
      fence,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('startEffect'),
      run,
      n,
      status: fc.constantFrom('started', 'pending'),
      fence,
      attempts: fc.constantFrom(0, 1),
    }),
  },
  fc.record({ do: is('settleEffect'), run, n, status: fc.constantFrom('done', 'uncertain', 'linked') }),
  { weight: 2, arbitrary: fc.record({ do: is('closeEffect', 'findEffect'), run, n }) },
  fc.record({ do: is('uncountAttempt'), run, n, fence }),
  { weight: 2, arbitrary: fc.record({ do: is('setTimer', 'fireTimer'), run, id: few(2), dueAt }) },
  fc.record({ do: is('clearTimer'), run, id: few(2) }),
  { weight: 2, arbitrary: fc.record({ do: is('listTimers', 'listConfirmations'), run }) },
  { weight: 2, arbitrary: fc.record({ do: is('insertConfirmation'), run, call }) },
  fc.record({ do: is('decideConfirmation'), run, call, status: fc.constantFrom('approved', 'rejected') }),
  fc.record({ do: is('holdCall'), run, call, holder: few(1), until: dueAt, now: dueAt }),
  fc.record({ do: is('releaseCall'), run, call, holder: few(1) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('insertRequestKey', 'answerRequestKey', 'deleteRequestKey'),
      name,
      driver: few(1),
    }),
  },
  fc.record({ do: is('passRequestKey'), name, was: few(1), driver: few(1) }),
  fc.record({ do: is('noteRequestKey', 'findRequestKey'), name }),
);

/** What some programs are made on: a lane, a run, drivers. */
const begun: readonly Op[] = [
  { do: 'insertSession', key: 0 },
  { do: 'insertRun', session: 0, id: 0, ordinal: 1 },
  { do: 'insertDriver' },
  { do: 'insertDriver' },
];

/** How many programs a tenant of its own gets. */
export const programsInTenant = 25;

/** Programs of one tenant: what they ask, and whether each fails at its end. */
export const programs = fc
  .array(
    fc.record({ ops: fc.array(op, { minLength: 1, maxLength: 6 }), fails: fc.nat(9).map((x) => x === 0) }),
    {
      minLength: programsInTenant,
      maxLength: programsInTenant,
    },
  )
  .map((all) => [{ ops: begun, fails: false }, ...all]);
