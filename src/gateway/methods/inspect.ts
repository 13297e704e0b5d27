import { DetentError } from '../../protocol/error.ts';
import type { inspectMethods as declared } from '../../protocol/methods.ts';
import { needOf, type Performers } from './method.ts';

export const inspectPerformers = {
  'inspect.ticket': {
    alsoNeeds: ({ use }) => needOf('write', [use === 'send' && 'use']),
    async perform(call, { use, runId, sender }) {
      refuseField(runId === undefined || use === 'follow', 'runId', 'follow');
      refuseField(sender === undefined || use === 'send', 'sender', 'send');
      if (use === 'send') return call.inspect.ticket({ use, sender: sender ?? null });
      if (runId !== undefined) await call.detent.runs.ownerOf(runId, call.caller.tenantId);
      return call.inspect.ticket({ use, runId: runId ?? null });
    },
  },
  'inspect.list': async ({ inspect, caller }) => inspect.actors.list(caller),
  async 'inspect.get'({ inspect, caller }, { actorId, afterSeq, limit, withChart }) {
    const { actor, summary } = inspect.actors.get(caller, actorId);
    const answer = {
      actor: summary,
      trace: { ...actor.trace(afterSeq, limit) },
    };
    if (!withChart) return answer;
    const { definition, refused } = actor.chart;
    if (!definition) return { ...answer, definition: null, layout: null, refused };
    const drawn = await inspect.layout(definition);
    return {
      ...answer,
      definition: { ...definition },
      layout: drawn.layout && { ...drawn.layout },
      refused: drawn.refused,
    };
  },
} satisfies Performers<typeof declared>;

function refuseField(isFine: boolean, field: string, use: string): void {
  if (isFine) return;
  throw new DetentError('INVALID_REQUEST', `"${field}" goes with the use "${use}", and only with it`, {
    details: { field },
  });
}
