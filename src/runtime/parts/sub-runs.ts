import type { EventBus } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Runs } from '../../runs/runs.ts';
import { SubRuns } from '../../runs/sub-runs.ts';
import type { Store } from '../../store/store.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../config/redaction.ts';

interface SubRunParts {
  store: Store;
  engine: Engine;
  bus: EventBus;
  clock: Clock;
  runs: Runs;
  secrets: SecretRedactor;
}

/** Sub-runs, which calls of the tool `task` start. Their checks are loaded with the first one. */
export function openSubRuns(options: DetentOptions, { secrets, ...parts }: SubRunParts): SubRuns {
  return new SubRuns({
    ...parts,
    async plan(parent, request, left) {
      const [{ subRunRequest }, { startRequest }, { checkModels }] = await Promise.all([
        import('../requests/sub-run-request.ts'),
        import('../requests/run-request.ts'),
        import('../requests/check-models.ts'),
      ]);
      const planned = subRunRequest(parent, request, left, {
        config: options,
        resolve: (asked) => startRequest(request.prompt, asked, options, ''),
      });
      secrets.addAll(checkModels(planned.options, planned.limits.costUsd, options));
      return planned;
    },
  });
}
