import { addressNotNamed } from '../../models/provider-config.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunView } from '../../protocol/views.ts';
import type { StartRun } from '../../runs/runs.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { optionsOf } from '../../store/stored-run.ts';
import { randomId } from '../../text/ids.ts';
import { shellWord } from '../../text/wording.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { checkModels } from '../requests/check-models.ts';
import { limitsOf } from '../requests/run-limits.ts';
import { startRequest } from '../requests/run-request.ts';

/** The result of a compaction that a user requested. */
export interface CompactedSession {
  sessionId: string;
  runId: string;
  /** `queued` or `waiting` while an earlier run of the session comes first; the fields below are then not known yet. */
  status: RunView['status'];
  outcome: RunView['outcome'];
  error: RunView['error'];
  /** Whether there was too little to summarise. */
  nothing: boolean;
  /** How the day's memory file was written, and how many lines; null if writing failed. */
  flushed: { how: 'model' | 'extract' | 'nothing'; lines: number } | null;
  /** Estimated tokens of the conversation in a prompt, before and after. */
  before: number | null;
  after: number | null;
}

/**
 * Starts a run that only compacts a session, and waits for it.
 *
 * @param request.model `provider/model` that writes the summary. Default: the model of the session's last run
 * @throws DetentError `NOT_FOUND`, `UNKNOWN_MODEL`, `MISSING_KEY`.
 *
 * @internal
 */
export async function compactSession(
  { store, runs, tenants, models, addSecrets }: Core,
  config: DetentOptions,
  sessionId: string,
  { model, tenantId }: { model?: string; tenantId: number },
): Promise<CompactedSession> {
  const session = await store.query('findSession', { tenant: tenantId, key: sessionId });
  if (!session)
    throw new DetentError('NOT_FOUND', `no session "${sessionId}"; see "detent sessions list"`, {
      details: { sessionId },
    });
  const rows = await store.query('listRunsOf', { session: session.pk, limit: 20 });
  // A run that made one given call has no model.
  const last = rows.find((row) => row.machine === 'run' && !optionsOf(row).call);
  const request = compaction(
    sessionId,
    config,
    { tenantId, userId: session.user },
    {
      ...(model !== undefined && { model }),
      last: last ? optionsOf(last) : null,
    },
  );
  const { model: writer, endpoint } = request.options;
  if (models.addressNow(writer, endpoint) === undefined)
    throw addressNotNamed(
      writer,
      endpoint,
      `detent sessions compact ${shellWord(sessionId)} --model PROVIDER/MODEL`,
    );
  addSecrets(checkModels(request.options, limitsOf({}, config).maxCostUsd ?? null, config));
  const { workspace } = await tenants(tenantId);
  const runId = await runs.start({ ...request, options: { ...request.options, workspace: workspace ?? '' } });
  const view = await runs.settled(tenantId, runId);
  const { pk } = await runs.row(tenantId, runId);
  const events = await store.query('listEvents', { run: pk, after: 0, limit: 1_000 });
  const bodyOf = (wanted: string) => {
    const event = events.findLast(({ type }) => type === wanted);
    return event && JSON.parse(event.body);
  };
  const flushed = bodyOf('flush.done');
  const done = bodyOf('compact.done');
  return {
    sessionId,
    runId,
    status: view.status,
    outcome: view.outcome,
    error: view.error,
    nothing: done?.nothing === true,
    flushed: flushed ? { how: flushed.how, lines: flushed.lines } : null,
    before: done?.before ?? null,
    after: done?.after ?? null,
  };
}

/** A run without a prompt. The placeholder prompt only satisfies the checks of every request. */
function compaction(
  sessionId: string,
  config: DetentOptions,
  { tenantId, userId }: { tenantId: number; userId: string | null },
  { model, last }: { model?: string; last: RunOptions | null },
): StartRun {
  // Sessions of an agent that is no longer configured can still be compacted.
  const named = model !== undefined ? { model } : last ? { model: last.model } : {};
  const principal = { tenantId, ...(userId !== null && { userId }) };
  const request = { sessionId, principal, ...named };
  const made = startRequest('compact', request, config, randomId('run'));
  const { context, endpoint } = last ?? made.options;
  return {
    ...made,
    prompt: '',
    only: 'compact',
    options: {
      ...made.options,
      ...(context && { context }),
      endpoint: model === undefined ? endpoint : null,
    },
  };
}
