import type { Input } from '../../client/index.ts';
import type { RunRequest } from '../../index.ts';
import { unfinishedStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { isGivenCallModel } from '../../store/run-options.ts';
import type { ServerPlace } from '../settings/server.ts';
import { openLink } from './gateway-link.ts';
import { gatewayHandle, gatewaySignals, sentAttachments, viewOf } from './gateway-run.ts';
import type { Ask, Port } from './port.ts';

/** A gateway lists no more at once. */
const maxListed = 1_000;

/**
 * A gateway, and what ends the connection to it.
 *
 * @param report gets told when the connection is lost for now.
 */
export function gatewayPort(
  server: ServerPlace,
  report: (error: DetentError) => void,
): { port: Port; close(): void } {
  const link = openLink(server, report);
  const { request } = link;
  const ask: Ask = (method, input) => request(method, withinLimit(input));
  const port: Port = {
    ask,
    show: async (runId) => viewOf(await request('run.get', { runId })),
    run(prompt, asked) {
      const begun = (async () => {
        const files = await sentAttachments(link, asked);
        return (await request('agent.run', { prompt, ...sentRequest(asked), ...files })).runId;
      })();
      return gatewayHandle(link, server.flags, begun, { isNew: asked.mode !== 'steer' });
    },
    // A gateway drives each run itself, so it is also the other process that a run is left to.
    startWorkflow(workflow, input, { idempotencyKey }) {
      const begun = request('workflow.start', { workflow, input, idempotencyKey }).then(({ runId }) => runId);
      return gatewayHandle(link, server.flags, begun, { isNew: true });
    },
    attach: (runId) => gatewayHandle(link, server.flags, Promise.resolve(runId)),
    on(runId, listener) {
      let isWanted = true;
      const tell = async () => {
        for await (const signal of gatewaySignals(link, runId)) {
          if (!isWanted) return;
          listener(signal);
        }
      };
      // Whoever waits for the run hears of the error.
      tell().catch(() => {});
      return () => {
        isWanted = false;
      };
    },
    async resume(scope) {
      if ('runId' in scope) return (await request('run.resume', scope)).runs;
      const unfinished = { sessionId: scope.sessionId, status: [...unfinishedStatuses], limit: maxListed };
      const first = (await ask('run.list', unfinished)).runs.at(-1);
      return first ? (await request('run.resume', { runId: first.runId })).runs : [];
    },
    async continuing(sessionId, asked) {
      const { runs } = await ask('run.list', { sessionId, limit: 20 });
      // A single call in between has no model.
      const last = runs.find(({ model }) => !isGivenCallModel(model));
      if (!last) return { ...asked, sessionId };
      const { agent = last.agent } = asked;
      // Only who administrates may name a model; else the gateway's own choice for the agent counts.
      const isModelKept = agent === last.agent && link.scopes.includes('admin');
      return { ...(isModelKept && { model: last.model }), ...asked, agent, sessionId };
    },
    get detent(): never {
      throw new DetentError(
        'NOT_OVER_GATEWAY',
        'this works only in the folder of the gateway itself: type it there, without --server',
      );
    },
  };
  return { port, close: link.close };
}

function withinLimit<I extends object>(input: I): I {
  return 'limit' in input && Number(input.limit) > maxListed ? { ...input, limit: maxListed } : input;
}

/** A request as a client sends it. It has no address: `--server` excludes the flags that name one. */
function sentRequest({ limits = {}, attachments: _, ...fields }: RunRequest) {
  const isLimited = Object.keys(limits).length > 0;
  return { ...fields, ...(isLimited && { limits }) } as Omit<Input<'agent.run'>, 'prompt'>;
}
