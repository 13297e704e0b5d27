import { someProgram } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnheard } from '../../runs/rows.ts';
import { optionsOf } from '../../store/stored-run.ts';
import type { Core } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { RunRequest } from '../config/request.ts';
import { attachFor } from '../requests/attachments.ts';
import { checkPrompt } from '../requests/check-prompt.ts';
import { sourcesFor } from '../requests/uploads.ts';

interface Steering
  extends Pick<RunRequest, 'attachments' | 'idempotencyKey' | 'requestId' | 'mayApprove' | 'by'> {
  tenant: number;
  runId: string;
  message: string;
}

/** Adds a message to a running run. @throws DetentError `RUN_ENDED`, `TAKES_NO_MESSAGES`, and as prompts and attachments do. */
export async function steerRun(
  core: Core,
  config: DetentOptions,
  { tenant, runId, message, attachments = [], idempotencyKey: key, requestId, mayApprove, by }: Steering,
): Promise<void> {
  const { runs, tenants } = core;
  const { limits, actor = someProgram } = config;
  checkPrompt(message, limits);
  const row = await runs.row(tenant, runId);
  refuseUnheard(row);
  const run = optionsOf(row);
  const workspace = attachments.length > 0 ? (await tenants(tenant)).workspace : null;
  const sources = sourcesFor({ ...core, workspace }, tenant, run.principal?.userId ?? null);
  const { prompt, parts, tainted } = await attachFor(run, message, attachments, { sources, limits, config });
  const said = { key, requestId, mayApprove, tainted, by: by ?? actor };
  const { kind } = await runs.message(tenant, runId, prompt, parts, said);
  if (kind === 'moved') return;
  throw new DetentError('RUN_ENDED', `run ${runId} has ended; start a new one in its session`);
}
