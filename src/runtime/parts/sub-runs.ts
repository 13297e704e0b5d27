import type { EventBus } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ModelDirectory } from '../../ports/chat-model.ts';
import type { Runs } from '../../runs/runs.ts';
import { SubRuns } from '../../runs/sub-runs.ts';
import type { Store } from '../../store/store.ts';
import type { DetentOptions } from '../config/options.ts';

interface SubRunParts {
  store: Store;
  engine: Engine;
  bus: EventBus;
  clock: Clock;
  runs: Runs;
  models: ModelDirectory;
}

/** Runs that calls of the tool `task` start. What checks them is loaded with the first. */
export function openSubRuns(options: DetentOptions, { models, ...parts }: SubRunParts): SubRuns {
  return new SubRuns({
    ...parts,
    async plan(parent, request, left) {
      const [{ subRunRequest }, { checkModels }] = await Promise.all([
        import('../requests/sub-run-request.ts'),
        import('../requests/check-models.ts'),
      ]);
      const planned = subRunRequest(parent, request, left, options);
      const { costUsd } = planned.limits;
      await checkModels(models, planned.options, costUsd === null ? {} : { maxCostUsd: costUsd }, options);
      return planned;
    },
  });
}
