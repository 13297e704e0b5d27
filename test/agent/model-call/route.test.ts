import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AfterFailure, afterFailure, candidates, routeOf } from '../../../src/agent/model-call/route.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ModelError, ModelErrorKind } from '../../../src/protocol/content.ts';
import { defaultLimits } from '../../../src/store/run-options.ts';

const three = { model: 'a/1', fallbacks: ['b/2', 'c/3'] };

describe('the models of a run', () => {
  it('are tried as they are listed, each once', () => {
    expect(candidates(three, { run: 7, steps: 4 })).toEqual(['a/1', 'b/2', 'c/3']);
    expect(candidates({ model: 'a/1', fallbacks: ['b/2', 'a/1', 'b/2'] }, { run: 7, steps: 4 })).toEqual([
      'a/1',
      'b/2',
    ]);
    expect(candidates({ model: 'a/1' }, { run: 7, steps: 4 })).toEqual(['a/1']);
  });

  it('take turns: each run, and each step of a run, begins with the next one', () => {
    const turns = { ...three, strategy: 'roundRobin' as const };
    const first = (run: number, steps: number) => candidates(turns, { run, steps })[0];
    expect([0, 1, 2, 3].map((steps) => first(3, steps))).toEqual(['a/1', 'b/2', 'c/3', 'a/1']);
    expect([3, 4, 5, 6].map((run) => first(run, 0))).toEqual(['a/1', 'b/2', 'c/3', 'a/1']);
    expect(candidates(turns, { run: 1, steps: 0 })).toEqual(['b/2', 'c/3', 'a/1']);
  });

  it('spread over many runs evenly', () => {
    const counts = new Map<string, number>();
    for (let run = 1; run <= 300; run++) {
      const [first = ''] = candidates({ ...three, strategy: 'roundRobin' }, { run, steps: 0 });
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([100, 100, 100]);
  });

  it('are passed over one by one, and the last one stays', () => {
    const at = (route: number) => routeOf(three, { pk: 1 }, { route, steps: 0 });
    expect([0, 1, 2, 3].map(at)).toEqual([
      { name: 'a/1', next: 'b/2' },
      { name: 'b/2', next: 'c/3' },
      { name: 'c/3', next: null },
      { name: 'c/3', next: null },
    ]);
  });
});

interface Given {
  next?: string | null;
  attempt?: number;
  attempts?: number;
  waitedMs?: number;
  chance?: number;
}

function judge(error: ModelError, given: Given = {}): AfterFailure {
  const { next = null, attempt = 1, attempts = 4, waitedMs = 0, chance = 0.5 } = given;
  const context = { attempt, waitedMs, limits: { ...defaultLimits, attempts } };
  return afterFailure(error, { next, context, random: () => chance });
}

const failed = (kind: ModelErrorKind, facts: Partial<ModelError> = {}) => modelError(kind, kind, facts);
const next = 'b/2';

describe('after a failure, while another model is left', () => {
  it.each<[string, ModelError]>([
    ['a wrong key', failed('auth')],
    ['a key that may not use it', failed('permission')],
    ['a model that is not there', failed('not_found')],
    ['no credit', failed('rate_limit', { retryable: false })],
    ['a rate limit that says nothing', failed('rate_limit')],
    ['a rate limit for longer than two seconds', failed('rate_limit', { retryAfterMs: 2_001 })],
    ['an overload', failed('overloaded')],
    [
      'an open circuit, however short',
      failed('overloaded', { code: 'MODEL_CIRCUIT_OPEN', retryAfterMs: 100 }),
    ],
    ['a failing server', failed('server')],
    ['a server that says not to try again', failed('server', { retryable: false })],
    ['a timeout', failed('timeout')],
    ['what is no answer', failed('malformed')],
  ])('%s goes on with that one at once', (_, error) => {
    expect(judge(error, { next })).toEqual({ kind: 'switch' });
  });

  it.each<[string, ModelError, number]>([
    ['a broken connection', failed('network'), 250],
    ['a rate limit of two seconds', failed('rate_limit', { retryAfterMs: 2_000 }), 2_000],
    ['an overload of no time', failed('overloaded', { retryAfterMs: 0 }), 0],
  ])('%s is tried once more first', (_, error, delayMs) => {
    expect(judge(error, { next })).toEqual({ kind: 'retry', delayMs });
    expect(judge(error, { next, attempt: 2 })).toEqual({ kind: 'switch' });
  });

  it('a run without retries goes on with that one at once', () => {
    expect(judge(failed('network'), { next, attempts: 1 })).toEqual({ kind: 'switch' });
  });

  it.each<ModelErrorKind>(['bad_request', 'context_overflow', 'aborted'])(
    '%s ends it: another model would say the same',
    (kind) => {
      expect(judge(failed(kind), { next })).toEqual({ kind: 'fail' });
    },
  );
});

describe('after a failure of the last model', () => {
  it('it is tried again when that may help', () => {
    expect(judge(failed('server'), { attempt: 3 })).toEqual({ kind: 'retry', delayMs: 1_000 });
    expect(judge(failed('rate_limit', { retryAfterMs: 7_000 }))).toEqual({ kind: 'retry', delayMs: 7_000 });
    expect(judge(failed('auth'))).toEqual({ kind: 'fail' });
  });

  it('a wait that does not fit into the minute is not begun, and the error says so', () => {
    const error = failed('rate_limit', { retryAfterMs: 45_000 });
    expect(judge(error, { waitedMs: 15_000 })).toEqual({ kind: 'retry', delayMs: 45_000 });
    expect(judge(error, { waitedMs: 15_001 })).toEqual({
      kind: 'fail',
      note: 'It asks for a wait of 45 s, but one model call waits 60 s in all, and 15 s of them are used up.',
    });
    expect(judge(failed('server'), { waitedMs: 60_000 })).toMatchObject({ kind: 'fail' });
  });
});

describe('whatever fails', () => {
  const kind = fc.constantFrom<ModelErrorKind>(
    'auth',
    'permission',
    'not_found',
    'bad_request',
    'context_overflow',
    'rate_limit',
    'overloaded',
    'server',
    'timeout',
    'network',
    'aborted',
    'malformed',
  );
  const error = fc
    .record({ kind, retryAfterMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }) })
    .map(({ kind, retryAfterMs }) => failed(kind, retryAfterMs === undefined ? {} : { retryAfterMs }));

  it('all waits of one call are a minute at most, over all its models', () => {
    fc.assert(
      fc.property(
        fc.array(error, { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (errors, attempts, models, chance) => {
          let waitedMs = 0;
          let attempt = 1;
          let route = 0;
          for (const error of errors) {
            const next = route + 1 < models ? `model/${route + 1}` : null;
            const then = judge(error, { next, attempt, attempts, waitedMs, chance });
            if (then.kind === 'fail' || (then.kind === 'retry' && attempt >= attempts)) break;
            if (then.kind === 'switch') {
              expect(next).not.toBeNull();
              route++;
              attempt = 1;
            } else {
              waitedMs += then.delayMs;
              attempt++;
            }
          }
          expect(waitedMs).toBeLessThanOrEqual(60_000);
        },
      ),
    );
  });

  it('a model that is not the last one never ends the call by being tried too often', () => {
    fc.assert(
      fc.property(error, fc.integer({ min: 1, max: 9 }), (error, attempts) => {
        expect(judge(error, { next, attempt: attempts, attempts }).kind).not.toBe('retry');
      }),
    );
  });
});
