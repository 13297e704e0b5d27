import type { JobDefinition } from '../../../machines/job.types.ts';
import { isWorkflowView, type RunView } from '../../protocol/views.ts';
import { taintOfRun } from '../../runs/rows.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { SlotRun } from '../job-host.ts';
import { boundsOf, type JobEffect, slotRunId, slotSession } from '../machine/job-run.ts';
import { slotText, withSlot } from '../times/slot-text.ts';
import type { WorkParts } from './work-parts.ts';

interface Result {
  text: string;
  tainted: readonly StoredTaint[];
}

const nothing: Result = { text: '(no result yet)', tainted: [] };

/** The run of a slot, with the time of the slot and the last result in its prompt. */
export async function slotRunOf(
  parts: Pick<WorkParts, 'store' | 'runs'>,
  job: JobEffect,
  runId: string,
): Promise<SlotRun> {
  const { definition } = job.context;
  const { jobId } = job.options;
  const slot = Number(job.params.slot);
  const last = definition.prompt.includes('{{last}}') ? await lastResult(parts, job) : nothing;
  const said = definition.prompt
    .replaceAll('{{slot}}', slotText(slot))
    .replaceAll('{{last}}', () => last.text);
  return {
    tenant: job.run.tenant,
    user: await userOfJob(parts.store, job),
    definition,
    bounds: boundsOf(definition),
    sessionId: slotSession(jobId, definition, runId),
    prompt: definition.skill === null ? withoutName(said, definition) : `/${definition.skill} ${said}`,
    input: withSlot(definition.input ?? null, slot),
    runId,
    tainted: last.tainted,
  };
}

/** The user of a job, now: it may have gone over to another since a driver took it. */
export async function userOfJob(
  store: WorkParts['store'],
  { run: { tenant }, options: { jobId, user } }: Pick<JobEffect, 'run' | 'options'>,
): Promise<string | null> {
  const job = await store.query('findJob', { tenant, id: jobId });
  return job ? job.user : user;
}

/** A prompt names a skill only if a person wrote that: not by words of an agent, or of the last result. */
function withoutName(said: string, { prompt, bounds }: JobDefinition): string {
  const isOfPerson = bounds === undefined && prompt.startsWith('/');
  return said.startsWith('/') && !isOfPerson ? `\n${said}` : said;
}

/** The answer of the last run of the job that ended well: as untrusted as what that run had read. */
async function lastResult(
  { store, runs }: Pick<WorkParts, 'store' | 'runs'>,
  { run: { tenant }, options, context: { lastGood } }: JobEffect,
): Promise<Result> {
  const last = lastGood !== null && slotRunId(options.key, lastGood);
  const row = last && (await store.query('loadRun', { tenant, id: last }));
  if (!row) return nothing;
  return { text: resultText(await runs.view(tenant, row.id)), tainted: await taintOfRun(store, row) };
}

/** What a run has to say in the end: of an agent its last answer, of a workflow its output as JSON. */
export function resultText(view: RunView): string {
  if (!isWorkflowView(view)) return view.text;
  const { output } = view.workflow;
  return output === undefined ? '' : JSON.stringify(output);
}
