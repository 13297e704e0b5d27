import type { DetentOptions, RunRequest } from '../config/options.ts';
import type { Core } from '../core.ts';
import { attachFor } from '../requests/attachments.ts';
import { checkModels } from '../requests/check-models.ts';
import { withInvokedSkill } from '../requests/invoke-skill.ts';
import { limitsOf, startRequest } from '../requests/run-request.ts';

/**
 * Makes a run; answers the id of the run that took the prompt.
 *
 * @param core opens what is not open yet, once the request is found right.
 */
export async function startRun(
  core: () => Promise<Core>,
  config: DetentOptions,
  prompt: string,
  request: RunRequest,
  runId: string,
): Promise<string> {
  const resolved = startRequest(prompt, request, config, runId);
  const limits = limitsOf(request, config);
  const { runs, models, skills, workspace, declareBudget } = await core();
  await checkModels(models, resolved.options, limits, config);
  const { attachments = [] } = request;
  const said = await attachFor(resolved.options, prompt, attachments, { workspace, limits, models });
  const { budget } = resolved.options;
  if (budget) await declareBudget(resolved.tenant, budget);
  const asked = { ...resolved, ...said, options: { ...resolved.options, workspace } };
  return runs.start(await withInvokedSkill(skills, prompt, asked));
}
