import type { Fact } from '../../engine/machine.ts';
import { parseJson } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import { callResultOf, spentBy } from '../../runs/views.ts';
import type { EffectRow, RunRow } from '../../store/rows.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import {
  type FlowContext,
  type FlowError,
  flowContextOf,
  flowOutputOf,
  isWorkflowRun,
  optionsOf,
} from '../../store/stored-run.ts';
import { type ChartService, outputOf } from '../facade/chart-services.ts';
import type { ServiceError } from '../facade/service-failure.ts';
import { doneFact, failedFact, serviceError, type WorkflowParts } from './workflow-parts.ts';

interface Ended {
  run: RunRow;
  effect: Pick<EffectRow, 'n' | 'params'>;
  child: RunRow;
}

/** The result of a service that was a run of its own. */
interface Outcome {
  spent: FlowContext['spent'];
  isUntrusted: boolean;
  result: { output: unknown } | { error: ServiceError };
}

/** The fact for the end of a run that a service of a chart began. */
export async function childEnded(
  parts: WorkflowParts,
  services: ReadonlyMap<string, ChartService>,
  { run, effect, child }: Ended,
): Promise<Fact> {
  const { src } =
    flowContextOf(run).open.find(({ n }) => n === effect.n) ?? (JSON.parse(effect.params) as { src: string });
  const service = services.get(src);
  const { spent, isUntrusted, result } = isWorkflowRun(child)
    ? await ofChart(parts, child)
    : await ofAgent(parts, child);
  const taint: StoredTaint = { tool: src, run: run.pk, call: effect.n, at: child.updatedAt };
  const more = { spent, ...(isUntrusted && { tainted: [taint] }) };
  if ('error' in result) return failedFact(parts, effect.n, result.error, more);
  try {
    const output = await fitted(service && outputOf(service), service, result.output);
    return doneFact(parts, effect.n, output, more);
  } catch (error) {
    return failedFact(parts, effect.n, serviceError(error), more);
  }
}

async function ofChart({ store }: WorkflowParts, child: RunRow): Promise<Outcome> {
  const { tainted } = flowContextOf(child);
  const spent = await spentBy(store, child);
  const output = flowOutputOf(child);
  const noReason: FlowError = { code: 'CHART_FAILED', message: 'no reason is known' };
  const { code, message, fields, thrown } = output?.error ?? noReason;
  return {
    spent,
    isUntrusted: tainted.length > 0,
    result:
      output?.outcome === 'done'
        ? { output: output.output }
        : {
            error: {
              code,
              message:
                output?.outcome === 'cancelled' ? `run ${child.id} was cancelled: ${message}` : message,
              ...(fields && { fields }),
              ...(thrown && { thrown }),
            },
          },
  };
}

async function ofAgent(parts: WorkflowParts, child: RunRow): Promise<Outcome> {
  const spent = await spentBy(parts.store, child);
  if (optionsOf(child).call) return { spent, ...(await ofCall(parts, child)) };
  const { status, outcome, text, output, error, tainted } = await parts.runs.view(child.tenant, child.id);
  const isUntrusted = (tainted ?? []).length > 0;
  if (status === 'done')
    return { spent, isUntrusted, result: { output: output === undefined ? text : output } };
  const code = status === 'cancelled' ? 'CANCELLED' : (error?.code ?? 'AGENT_FAILED');
  const message = `run ${child.id} ${status === 'cancelled' ? 'was cancelled' : `failed (${outcome})`}${error ? `: ${error.message}` : ''}`;
  return { spent, isUntrusted, result: { error: { code, message, retryable: error?.retryable ?? false } } };
}

async function ofCall({ store, toolboxOf }: WorkflowParts, child: RunRow): Promise<Omit<Outcome, 'spent'>> {
  const result = await callResultOf({ store, toolbox: await toolboxOf(child.tenant) }, child);
  const isUntrusted = result.untrusted.length > 0;
  if (!result.ok) {
    const { code, message, retryable } = result;
    return { isUntrusted, result: { error: { code, message, retryable } } };
  }
  const { text, answer, approved, reason } = result;
  if (approved !== undefined)
    return { isUntrusted, result: { output: { approved, ...(reason !== undefined && { reason }) } } };
  return { isUntrusted, result: { output: answer === undefined ? text : answer } };
}

/** The output as the service's schema makes it: with its defaults and transformations. */
async function fitted(
  schema: ToolSchema<unknown> | undefined,
  service: ChartService | undefined,
  output: unknown,
): Promise<unknown> {
  if (!schema) return output;
  const given = service?.kind === 'tool' && typeof output === 'string' ? parseJson(output) : output;
  const checked = await schema['~standard'].validate(given);
  if (!checked.issues) return checked.value;
  const [issue] = checked.issues;
  throw Object.assign(new Error(`the output does not fit its schema: ${issue?.message ?? ''}`), {
    code: 'INVALID_OUTPUT',
    retryable: false,
  });
}
