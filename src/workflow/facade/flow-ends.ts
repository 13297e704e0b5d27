import type { AnyMachineSnapshot } from 'xstate';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { FlowContext, FlowError, FlowOutput } from '../../store/stored-run.ts';
import type { FlowEvent } from './flow-events.ts';
import { plainJson } from './plain-json.ts';
import type { Turn } from './turn.ts';

/** The output of a chart that has ended by itself; null while it is active. */
export function outputOf({ status, output, error }: AnyMachineSnapshot): FlowOutput | null {
  if (status === 'active') return null;
  if (status === 'done') {
    const own = output === undefined ? {} : { output: plainJson(output, 'the output') };
    return { outcome: 'done', ...own, error: null };
  }
  return { outcome: 'failed', error: errorOf(error) };
}

function errorOf(error: unknown): FlowError {
  const { code, message, ...fields } = (isObject(error) ? error : {}) as Record<string, unknown>;
  const isThrown = !(error instanceof Error);
  const words = typeof error === 'object' ? JSON.stringify(error) : String(error);
  const failure = {
    code: typeof code === 'string' ? code : isThrown ? 'SERVICE_FAILED' : 'CHART_FAILED',
    message: typeof message === 'string' ? message : words,
  };
  // A chart that waits for this one gets the same value.
  if (isThrown) return { ...failure, thrown: error === undefined ? [] : [plainJson(error, 'the error')] };
  return {
    ...failure,
    ...(Object.keys(fields).length > 0 && { fields: plainJson(fields, 'the error') as JsonObject }),
  };
}

export function cancelled(reason: unknown): FlowOutput {
  const message = typeof reason === 'string' && reason !== '' ? reason : 'the run was cancelled';
  return { outcome: 'cancelled', error: { code: 'CANCELLED', message } };
}

export function failedOutput({ code, message }: FlowEvent): FlowOutput {
  return { outcome: 'failed', error: { code: String(code), message: String(message) } };
}

/** The context of a run that was ended from outside of its chart. */
export function endedFlow(
  before: FlowContext,
  end: FlowOutput,
  { count, spent, tainted }: Turn,
): FlowContext {
  return { ...before, input: null, open: [], delayed: {}, count, spent, tainted, end };
}
