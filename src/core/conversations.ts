import './globals.ts';
import { defaultTenant as tenant } from '../protocol/access.ts';
import { clear, rate } from '../runs/sessions.ts';
import { subscribeTo } from '../runtime/api.ts';
import { clientToolSpecs, withClientTools } from '../tools/builtin.ts';
import type { Conversations } from './options.ts';

/**
 * What an app needs to show conversations: their runs, the events of a run, and tools that the screen performs. Pass it to
 * `createCore`, which then sets `core.sessions`. `overCore` of `detent/sdk` needs it.
 *
 * @example
 * ```ts
 * const core = createCore({ host: { storage }, models, conversations });
 * for await (const event of core.sessions.subscribe(runId)) show(event);
 * ```
 */
export const conversations: Conversations = {
  specsOf: (tools, toolbox) => clientToolSpecs(tools, [toolbox]),
  withClientTools,
  open: (opened, stoppable) => ({
    subscribe: (runId, { afterSeq = 0 } = {}) =>
      subscribeTo(opened, { stoppable }, { tenant, runId, afterSeq }),
    async runs(sessionId, { limit = 20 } = {}) {
      const { store } = await opened();
      const session = await store.query('findSession', { tenant, key: sessionId });
      const rows = session ? await store.query('listRunsOf', { session: session.pk, limit }) : [];
      return rows.map(({ id }) => ({ runId: id }));
    },
    async clear(sessionId) {
      const { store, clock } = await opened();
      return { cleared: await store.commit(() => clear(tenant, sessionId, clock.now())) };
    },
    async rate(sessionId, rating) {
      const { store, clock } = await opened();
      const redact = (text: string) => text;
      return store.commit(() => rate(tenant, sessionId, rating, { at: clock.now(), redact }));
    },
  }),
};

export type { ClientTool } from '../protocol/tool.ts';
export type { Conversations, CoreSessions } from './options.ts';
