import type { Problem } from './try-model.ts';

const hints: Readonly<Record<string, string>> = {
  MISSING_KEY: 'set the variable, or name another one as apiKeyEnv of the provider',
  UNKNOWN_MODEL: '"detent models list" shows what there is; --base-url asks any other server',
  auth: 'the provider rejects the key: set its variable again, and check that the key belongs to this address',
  permission: 'the key is good, but not for this model: ask the provider for access',
  not_found: 'there is no such model, or the base URL is wrong: most end with /v1',
  bad_request: 'the server rejects the request: see "quirks" in docs/providers.md',
  rate_limit: 'too many calls, or no credit left: wait, or look at the account',
  overloaded: 'the provider is busy: try again later',
  server: 'the provider failed: try again later',
  network: 'nothing answers there: check the base URL, the network, and whether the server runs',
  timeout: 'it takes too long: give it more with --timeout, or check whether the model is still loading',
  malformed: 'the server there does not speak this protocol: check baseUrl and api',
  no_tool_call:
    'runs with tools may not work with this model; its server may need an option that makes it parse tool calls',
  empty: 'the model may need more room: raise maxOutputTokens',
};

/** What to do about a problem; null when its message already says so. */
export function hintOf({ kind }: Problem): string | null {
  return Object.hasOwn(hints, kind) ? (hints[kind] ?? null) : null;
}
