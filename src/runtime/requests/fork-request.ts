import { checkSessionKey, someProgram } from '../../protocol/access.ts';
import { type Approve, approvals, type ModelApi } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { oneOf, refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { OfRequest } from '../../runs/rows.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import { checkPrompt } from './check-prompt.ts';
import { endpointOf } from './chosen-models.ts';

/** Where a fork begins, and what it changes. */
export interface ForkOptions extends OfRequest {
  /** The last transition that the fork keeps; 0 keeps only the prompt. */
  at: number;
  /** `provider/model` instead of the run's own. */
  model?: string;
  /** The address of the model; its provider may then be any word. */
  baseUrl?: string;
  /** The environment variable that holds the key. */
  apiKeyEnv?: string;
  /** The API that the server speaks. */
  api?: ModelApi;
  /** Replaces the user's newest message at `at`. */
  editMessage?: string;
  /**
   * What the fork does with calls that need a person. Default: as the run, but `all` of the run's request was for that run.
   */
  approve?: Approve;
  /** False: refuses a run whose model, instructions, limits or budget an administrator chose. Default true. */
  mayAdminister?: boolean;
  /** Who makes the fork, and so asks for what it does. Default: this program. */
  by?: string;
  /** Key of the fork's session. Default: a new key. */
  sessionId?: string;
}

const fields: readonly string[] = [
  'at',
  'model',
  'baseUrl',
  'apiKeyEnv',
  'api',
  'editMessage',
  'approve',
  'mayAdminister',
  'by',
  'sessionId',
  'requestId',
] satisfies (keyof ForkOptions)[];

/**
 * Checks what can be checked of a fork without its run. A program without types may pass anything.
 *
 * @throws DetentError `INVALID_ARGUMENTS`, `INVALID_SESSION`, and as addresses and prompts do.
 */
export function checkFork(
  options: ForkOptions,
  { limits, policy, actor = someProgram }: Pick<DetentOptions, 'limits' | 'policy' | 'actor'>,
) {
  refuseUnknownFields(options, fields, 'a fork', 'INVALID_ARGUMENTS');
  const {
    at,
    model,
    editMessage,
    approve,
    mayAdminister = true,
    by,
    sessionId,
    requestId,
    ...address
  } = options;
  for (const [name, value] of Object.entries({ model, editMessage, by, sessionId }))
    if (value !== undefined && typeof value !== 'string')
      throw new DetentError('INVALID_ARGUMENTS', `${name} of a fork is a text, not ${shown(value)}`);
  if (approve !== undefined) oneOf(approve, approvals, 'approve of a fork', 'INVALID_ARGUMENTS');
  if (sessionId !== undefined) checkSessionKey(sessionId);
  if (editMessage !== undefined) checkPrompt(editMessage, limits);
  const endpoint = endpointOf(address);
  return {
    seq: at,
    mayAdminister: mayAdminister === true,
    by: by ?? actor,
    ...(model !== undefined && { model }),
    ...(endpoint && { endpoint }),
    ...(editMessage !== undefined && { editMessage }),
    ...(approve !== undefined && { approve }),
    ...(policy?.approve && { configured: policy.approve }),
    ...(sessionId !== undefined && { sessionId }),
    ...(requestId !== undefined && { requestId }),
  };
}
