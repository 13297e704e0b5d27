import type { ModelApi } from '../../ports/chat-model.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/one-of.ts';
import { checkSessionKey } from '../../protocol/session-key.ts';
import { checkPrompt } from './check-prompt.ts';
import { endpointOf } from './chosen-models.ts';

/** Where a fork begins, and what it changes. */
export interface ForkOptions {
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
  /** Key of the fork's session. Default: a new key. */
  session?: string;
}

/**
 * Checks what can be checked of a fork without its run. A program without types may pass anything.
 *
 * @throws DetentError `INVALID_ARGUMENTS`, `INVALID_SESSION`, and as addresses and prompts do.
 */
export function checkFork(
  { at, model, editMessage, session, ...address }: ForkOptions,
  limits: LimitsConfig | undefined,
) {
  for (const [name, value] of Object.entries({ model, editMessage, session }))
    if (value !== undefined && typeof value !== 'string')
      throw new DetentError('INVALID_ARGUMENTS', `${name} of a fork is a text, not ${shown(value)}`);
  if (session !== undefined) checkSessionKey(session);
  if (editMessage !== undefined) checkPrompt(editMessage, limits);
  const endpoint = endpointOf(address);
  return {
    seq: at,
    ...(model !== undefined && { model }),
    ...(endpoint && { endpoint }),
    ...(editMessage !== undefined && { editMessage }),
    ...(session !== undefined && { sessionId: session }),
  };
}
