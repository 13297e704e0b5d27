import type { Problem } from './try-model.ts';

const hints: Readonly<Record<string, string>> = {
  MISSING_KEY: 'set the variable, or name another one as apiKeyEnv of the provider',
  UNKNOWN_MODEL: '"detent models list" shows what there is; --base-url asks any other server',
  auth: 'the key is not taken: set its variable anew, and see that it belongs to this address',
  permission: 'the key is good, but not for this model: ask the provider for access',
  not_found: 'there is no such model, or the base URL is wrong: most end with /v1',
  bad_request: 'the server refuses what it was sent: see "quirks" in docs/providers.md',
  rate_limit: 'too many calls, or no credit left: wait, or look at the account',
  overloaded: 'the provider is busy: try again later',
  server: 'the provider failed: try again later',
  network: 'nothing answers there: check the base URL, the network, and that the server runs',
  timeout: 'it takes too long: give it more with --timeout, or see whether the model is still loading',
  malformed: 'what answers there is no server of this protocol: check baseUrl and api',
  no_tool_call: 'runs with tools may not work with this model; its server may have to be told to parse calls',
  empty: 'the model may need more room: raise maxOutputTokens',
};

/** What to do about a problem; null when its message says it. */
export function hintOf({ kind }: Problem): string | null {
  return Object.hasOwn(hints, kind) ? (hints[kind] ?? null) : null;
}
