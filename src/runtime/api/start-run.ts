import type { DetentOptions } from '../config/options.ts';
import type { RunRequest } from '../config/request.ts';
import type { Core } from '../core.ts';
import { attachFor } from '../requests/attachments.ts';
import { checkPrompt } from '../requests/check-prompt.ts';
import { withInvokedSkill } from '../requests/invoke-skill.ts';
import { requestDigest } from '../requests/request-digest.ts';
import { checkRequest } from '../requests/run-request.ts';
import { sourcesFor } from '../requests/uploads.ts';

/**
 * Starts a run, or steers one. Returns the id of the run that took the prompt.
 *
 * @param core opens the parts on first use; called once the request is checked.
 */
export async function startRun(
  core: () => Promise<Core>,
  config: DetentOptions,
  prompt: string,
  request: RunRequest,
  runId: string,
): Promise<string> {
  const { start, limits, keys } = checkRequest(request, config);
  checkPrompt(prompt, limits);
  const isKeyed = request.idempotencyKey !== undefined;
  const digest = isKeyed ? { requestDigest: requestDigest(prompt, request) } : {};
  const opened = await core();
  const { runs, tenants, outputs, models, declareBudget, addSecrets } = opened;
  const { workspace, skills } = await tenants(start.tenant);
  addSecrets(keys);
  const { model, endpoint } = start.options;
  if (endpoint) models.nameAddress(model, endpoint, endpoint);
  const { attachments = [] } = request;
  const sources = sourcesFor({ ...opened, workspace }, start.tenant, start.options.principal.userId);
  const said = await attachFor(start.options, prompt, attachments, { sources, limits, config });
  const { budget } = start.options;
  if (budget) await declareBudget(start.tenant, budget);
  const asked = {
    ...start,
    runId,
    ...said,
    options: { ...start.options, ...digest, workspace: workspace ?? '' },
  };
  const forget = request.output ? outputs.keep(runId, request.output) : () => {};
  try {
    const takenBy = await runs.start(await withInvokedSkill(skills, prompt, asked));
    if (takenBy !== runId) forget();
    return takenBy;
  } catch (error) {
    forget();
    throw error;
  }
}
