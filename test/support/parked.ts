import { defineTool, type RunView } from '../../src/index.ts';
import { newWorkspace, type Workspace } from './cli.ts';
import type { MockProvider } from './mock-provider.ts';
import { toolsConfigWith } from './tools-config.ts';

/** The `note` of the configuration, as far as a run needs it that only asks. */
const note = defineTool({
  name: 'note',
  description: 'note',
  jsonSchema: { type: 'object' },
  sideEffect: 'unsafe',
  run: () => 'never',
});

/** A workspace whose one run, made without a process of its own, waits for decisions on calls of `note`. */
export async function parkedWorkspace(
  provider: MockProvider,
  prompt: string,
  sessionId?: string,
): Promise<{ workspace: Workspace; view: RunView }> {
  const models = { mock: { baseUrl: provider.baseUrl } };
  const workspace = await newWorkspace({ 'detent.config.ts': toolsConfigWith({ models }) });
  const view = await workspace.withLibrary(
    async (detent) => {
      const request = {
        model: 'mock/model',
        ...(sessionId !== undefined && { sessionId }),
      };
      return detent.run(prompt, request).result;
    },
    { models, tools: { define: [note] } },
  );
  if (view.status !== 'waiting') throw new Error(`the run does not wait: ${JSON.stringify(view)}`);
  return { workspace, view };
}

/** Decides on a call, without a process of its own. */
export function approve(workspace: Workspace, runId: string, callId: string | undefined): Promise<unknown> {
  return workspace.withLibrary((detent) => detent.runs.confirm(runId, callId ?? '', { verdict: 'approve' }));
}
