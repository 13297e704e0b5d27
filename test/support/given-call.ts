import { onTestFinished } from 'vitest';
import type { DetentOptions, RunView, Tool } from '../../src/index.ts';
import { type CallResult, callResultOf } from '../../src/runs/views/call-result.ts';
import { compose } from '../../src/runtime/compose.ts';
import type { Core } from '../../src/runtime/config/core.ts';
import { type CallOptions, defaultLimits } from '../../src/store/run-options.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { modelOptions, withModel } from './detent.ts';

type Given = Pick<CallOptions, 'call' | 'ask'> & Partial<Pick<CallOptions, 'approve' | 'tainted'>>;

const tenant = 1;

/** Runs that make one given call, in a program without a model, and a Detent on the same store that shows them to people. */
export async function givenCalls(
  tools: readonly Tool[],
  options: DetentOptions = {},
  decorate: Parameters<typeof compose>[1] = {},
) {
  const store = options.store ?? openInMemory();
  const own = { env: options.env ?? {}, store, tools: { define: [...tools], ...options.tools } };
  // For a Detent that goes on in the session of such a run.
  const script: ScriptLine[] = [];
  const { model: _, models: __, ...unmodelled } = modelOptions(scriptedModel([]), { ...options, ...own });
  const core: Core = await compose(unmodelled, decorate);
  onTestFinished(() => core.close());
  const detent = withModel(
    scriptedModel(
      Array.from({ length: 9 }, (_, i) => (request, more) => {
        const line = script[i] ?? { text: 'words' };
        return typeof line === 'function' ? line(request, more) : line;
      }),
    ),
    { ...unmodelled, model: 'test/script' },
  );
  let runs = 0;
  const start = async (given: Given, limits = {}): Promise<string> => {
    const runId = `call_${++runs}`;
    await core.runs.startCall({
      tenant,
      runId,
      sessionId: `calls ${runs}`,
      limits: { ...defaultLimits, ...limits },
      options: {
        approve: 'ask',
        workspace: core.workspace,
        principal: { tenantId: tenant, userId: null, claims: {} },
        ...given,
      },
    });
    return runId;
  };
  const settled = (runId: string): Promise<RunView> => core.runs.settled(tenant, runId);
  const result = async (runId: string): Promise<CallResult> =>
    callResultOf(core, await core.runs.row(tenant, runId));
  return {
    core,
    detent,
    script,
    start,
    settled,
    result,
    /** Starts a run, and waits until it has ended or waits for a person. */
    async call(name: string, args: object = {}, given: Omit<Given, 'call'> = {}, limits = {}) {
      const runId = await start({ call: { name, arguments: JSON.stringify(args) }, ...given }, limits);
      return { runId, view: await settled(runId) };
    },
    confirm: async (runId: string, decision: Parameters<Core['runs']['confirm']>[3]) => {
      await core.runs.confirm(tenant, runId, 'c1', decision);
      return settled(runId);
    },
    reconcile: async (runId: string, decision: Parameters<Core['runs']['reconcile']>[3]) => {
      await core.runs.reconcile(tenant, runId, 'c1', decision);
      return settled(runId);
    },
  };
}
