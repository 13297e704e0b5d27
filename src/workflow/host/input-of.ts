import type { JsonValue } from '../../protocol/json.ts';
import type { Store } from './statements.ts';
import type { WorkflowJob } from './workflow-parts.ts';

/** What the engine asks for with `effect.step` and `effect.run`. */
interface ServiceParams {
  /** The invocation's id. */
  id: string;
  src: string;
  /** The effect of the first attempt. */
  first: number;
  /** Only of that one. */
  input?: JsonValue;
}

/** The params of a service's effect; a repeated attempt has the input of the first. A migration may have renamed it. */
export async function serviceParams(
  store: Pick<Store, 'query'>,
  { run, params, context, effectId }: Pick<WorkflowJob, 'run' | 'params' | 'context' | 'effectId'>,
): Promise<Required<ServiceParams>> {
  const { id, src } = context.open.find(({ n }) => n === effectId) ?? {};
  const own = { ...params, ...(id !== undefined && { id, src }) } as ServiceParams;
  if (own.input !== undefined) return { ...own, input: own.input };
  const first = await store.query('findEffect', { run: run.pk, n: own.first });
  const { input = null } = JSON.parse(first?.params ?? '{}') as Partial<ServiceParams>;
  return { ...own, input };
}
