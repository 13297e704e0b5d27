import { isOwnKey, refuseOwnKey } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { SkillSource } from '../../protocol/ports.ts';
import { HasFollower, type StartRun } from '../../runs/runs.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { clientToolSpecs } from '../../tools/builtin.ts';
import type { Parts } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { RunRequest } from '../config/request.ts';
import { attachFor } from './attachments.ts';
import { checkPrompt } from './check-prompt.ts';
import { requestDigest } from './request-digest.ts';
import { checkRequest } from './run-request.ts';
import { sourcesFor } from './uploads.ts';

/**
 * Starts a run, or steers one. Returns the id of the run that took the prompt.
 *
 * @param core opens the parts on first use; called once the request is checked.
 * @param inherited of a run that Detent starts: its parts that come from another run or a job, besides the request
 */
export async function startRun(
  core: () => Promise<Parts>,
  config: DetentOptions,
  prompt: string,
  request: RunRequest,
  runId: string,
  inherited?: Pick<
    RunOptions,
    'tainted' | 'follows' | 'linked' | 'parentRunId' | 'parentCall' | 'depth' | 'place'
  >,
): Promise<string> {
  const { tainted: given = [], follows = [], ...parent } = inherited ?? {};
  const { start, limits, keys } = checkRequest(request, config);
  checkPrompt(prompt, limits);
  const isKeyed = request.idempotencyKey !== undefined;
  const digest = isKeyed ? { requestDigest: requestDigest(prompt, request) } : {};
  const opened = await core();
  const { runs, tenants, outputs, models, declareBudget, addSecrets } = opened;
  const { workspace, skills, toolbox } = await tenants(start.tenant);
  const { clientTools = [], clientCalls } = request;
  const specs = clientToolSpecs(clientTools, [opened.toolbox, toolbox]);
  if (!inherited) await refuseNewOwnKey(opened, start);
  addSecrets(keys);
  const { model, endpoint } = start.options;
  if (endpoint) models.nameAddress(model, endpoint, endpoint);
  const { attachments = [] } = request;
  const sources = sourcesFor({ ...opened, workspace }, start.tenant, start.options.principal.userId);
  const { tainted: attached = [], ...said } = await attachFor(start.options, prompt, attachments, {
    sources,
    limits,
    config,
  });
  const tainted = [...given, ...attached];
  const { budget } = start.options;
  if (budget) await declareBudget(start.tenant, budget, start.options.principal.userId);
  const asked = {
    ...start,
    runId,
    ...(inherited && { isOwn: true }),
    ...said,
    options: {
      ...start.options,
      ...digest,
      ...parent,
      ...(tainted.length > 0 && { tainted }),
      ...(follows.length > 0 && { follows }),
      ...(specs.length > 0 && { clientTools: specs }),
      ...(specs.length > 0 && clientCalls === 'one' && { clientCalls }),
      workspace: workspace ?? '',
    },
  };
  const forget = request.output ? outputs.keep(runId, request.output) : () => {};
  try {
    const { after } = request;
    // A chart wrote the prompt of a linked run, out of data that must not name a skill.
    const invoking = parent.linked ? asked : await withInvokedSkill(skills, prompt, asked);
    const takenBy = await (after === undefined ? runs.start(invoking) : startAfter(opened, invoking, after));
    if (takenBy !== runId) forget();
    return takenBy;
  } catch (error) {
    forget();
    throw error;
  }
}

/** A user may continue the session of their own job, but may not create a session with a key that Detent uses. */
export async function refuseNewOwnKey(
  { store }: Parts,
  { tenant, sessionId: key, options }: Pick<StartRun, 'tenant' | 'sessionId' | 'options'>,
): Promise<void> {
  if (isOwnKey(key) && !(await store.query('findSession', { tenant, key })))
    refuseOwnKey(key, options.principal.userId);
}

/**
 * Starts a run behind an earlier one: in its session, or in a fork of it if another run follows there.
 *
 * @throws DetentError `NOT_FOUND`, `SESSION_BUSY` when the fork must wait for the earlier run, and as forks and starts do.
 */
async function startAfter({ runs, history }: Parts, request: StartRun, after: string): Promise<string> {
  const { tenant } = request;
  const behind = await runs.row(tenant, after);
  try {
    return await runs.start({ ...request, sessionId: behind.sessionKey, behind });
  } catch (error) {
    if (!(error instanceof HasFollower)) throw error;
  }
  const { ended, seq } = await runs.row(tenant, after);
  if (!ended)
    throw new DetentError(
      'SESSION_BUSY',
      `run ${after} has not ended, and another run follows it: a second one can follow it once it has ended`,
      { details: { runId: after } },
    );
  const { sessionId } = await (await history()).fork({ tenant, runId: after, seq });
  return runs.start({ ...request, sessionId });
}

/**
 * For a prompt that names a skill, `/name words`: appends the text of the skill to the message, and makes the run
 * follow the skill from its beginning. Returns any other run as it is.
 *
 * @param prompt what the person wrote; `start.prompt` may have text files after it.
 * @throws DetentError `SKILL_UNREADABLE`.
 */
export async function withInvokedSkill(
  skills: SkillSource,
  prompt: string,
  start: StartRun,
): Promise<StartRun> {
  if (!prompt.startsWith('/')) return start;
  const invoked = await skills.invoke(prompt, start.options.skills ?? null);
  if (!invoked) return start;
  const { follows = [] } = start.options;
  return {
    ...start,
    prompt: `${start.prompt}\n\n${invoked.text}`,
    said: start.prompt,
    options: { ...start.options, follows: [...follows, invoked.skill] },
  };
}
