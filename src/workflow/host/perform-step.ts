import { afterTimeOf, awaitForeign } from '../../engine/foreign-code.ts';
import type { Fact } from '../../engine/machine.ts';
import type { StepContext, StepService } from '../services.ts';
import { serviceParams } from './input-of.ts';
import {
  doneFact,
  failedFact,
  serviceError,
  type WorkflowJob,
  type WorkflowParts,
} from './workflow-parts.ts';

type Step = StepService<unknown, unknown>;

/** Performs one attempt at a step. After a crash or a failed attempt, the `status` of a `probe` step is called first. */
export async function performStep(parts: WorkflowParts, step: Step, job: WorkflowJob): Promise<Fact> {
  const { effectId, run } = job;
  const { id, src, first, input } = await serviceParams(parts.store, job);
  let isUntrusted = false;
  const bound = timeLimit(step.limits?.timeoutMs, job.signal);
  const context: StepContext = {
    idempotencyKey: `${run.id}:${first}`,
    signal: bound.signal,
    runId: run.id,
    untrusted() {
      isUntrusted = true;
    },
  };
  const noted = () => ({
    ...(isUntrusted && { tainted: [{ tool: id, run: run.pk, call: effectId, at: Date.now() }] }),
  });
  const owner = `step "${src}"`;
  try {
    if ((job.interrupted || effectId !== first) && step.status) {
      const status = await bound.within(
        awaitForeign(owner, () => step.status?.(input, context) ?? { unknown: true }),
      );
      if ('unknown' in status) return uncertain(effectId);
      if ('ran' in status) return doneFact(parts, effectId, status.output, noted());
    }
    const output = await bound.within(awaitForeign(owner, () => step.run(input, context)));
    return doneFact(parts, effectId, output, noted());
  } catch (error) {
    return failedFact(parts, effectId, serviceError(error), noted());
  } finally {
    bound.end();
  }
}

/** The fact of a step whose process died, when nothing tells whether it ran. */
export function uncertain(effectId: number): Fact {
  return { event: { type: 'service.uncertain', effectId }, settleAs: 'uncertain' };
}

interface TimeLimit {
  signal: AbortSignal;
  within<T>(work: T | Promise<T>): Promise<T>;
  end(): void;
}

function timeLimit(timeoutMs: number | undefined, outer: AbortSignal): TimeLimit {
  if (timeoutMs === undefined) return { signal: outer, within: async (work) => work, end() {} };
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const own = new AbortController();
  const end = afterTimeOf(timeoutMs, () => {
    const error = Object.assign(new Error(`no result within ${timeoutMs} ms`), { code: 'TIMEOUT' });
    own.abort(error);
    late.reject(error);
  });
  return {
    signal: AbortSignal.any([outer, own.signal]),
    within: (work) => Promise.race([work, late.promise]),
    end,
  };
}
