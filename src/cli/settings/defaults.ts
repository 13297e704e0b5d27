import { defaultHookTimeoutMs } from '../../agent/hooks/run-hooks.ts';
import { defaultContext } from '../../agent/prompt/context-budget.ts';
import { defaultModel } from '../../models/catalogue/presets.ts';
import { defaultClients } from '../../models/directory.ts';
import { defaultBreaker } from '../../models/router/breaker.ts';
import type { Variables } from '../../protocol/substitute.ts';
import { defaultLimits } from '../../records/run-options.ts';
import { defaultSystem, mostPromptBytes } from '../../runtime/requests/run-request.ts';

/** What fields have when nobody sets them, by path. A field that is missing here has no value then. */
export function defaultValues(env: Variables): Readonly<Record<string, unknown>> {
  const { steps, workMs, errors, repeats, attempts, parallel, confirmMs, reconcileMs, queueMs } =
    defaultLimits;
  return {
    model: defaultModel(env),
    fallbacks: [],
    'router.strategy': 'failover',
    'router.breaker.failures': defaultBreaker.failures,
    'router.breaker.openMs': defaultBreaker.openMs,
    'router.clients': defaultClients,
    system: defaultSystem,
    'tools.disabled': [],
    'skills.folders': [],
    'skills.bundled': true,
    'skills.disabled': [],
    'skills.approved': [],
    'policy.approve': 'ask',
    'policy.taint': 'confirm',
    'policy.untrusted': [],
    sandbox: 'auto',
    'memory.recall': true,
    'mcp.project': false,
    'mcp.allow': [],
    'limits.maxSteps': steps,
    'limits.maxRetries': attempts - 1,
    'limits.timeoutMs': workMs,
    'limits.maxPromptBytes': mostPromptBytes(undefined),
    'limits.maxErrors': errors,
    'limits.maxRepeats': repeats,
    'limits.parallelCalls': parallel,
    'limits.confirmExpiryMs': confirmMs,
    'limits.reconcileExpiryMs': reconcileMs,
    'limits.queueExpiryMs': queueMs,
    'context.pruneAt': defaultContext.pruneAt,
    'context.compactAt': defaultContext.compactAt,
    'context.keepShare': defaultContext.keepShare,
    'database.file': '.detent/detent.db',
    'database.synchronous': 'FULL',
    'database.groupCommit': true,
    secrets: [],
    hookTimeoutMs: defaultHookTimeoutMs,
    'log.level': 'silent',
  };
}
