import { readFileSync } from 'node:fs';
import type { RunRequest } from '../options.ts';
import { messageOf } from '../protocol/error.ts';
import type { OutputOptions } from './output.ts';
import { duration, type Flags, oneOf, text, usage, wholeNumber } from './parse.ts';

export const outputFlags = {
  json: { type: 'boolean' },
  jsonl: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

export const runFlags = {
  ...outputFlags,
  session: { type: 'string' },
  mode: { type: 'string' },
  model: { type: 'string' },
  api: { type: 'string' },
  'base-url': { type: 'string' },
  'api-key-env': { type: 'string' },
  approve: { type: 'string' },
  tools: { type: 'string' },
  system: { type: 'string' },
  'max-steps': { type: 'string' },
  'max-tokens': { type: 'string' },
  'max-retries': { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** @throws DetentError `USAGE`. */
export function outputOptions(flags: Flags): OutputOptions {
  if (flags.json && flags.jsonl) throw usage('--json and --jsonl exclude each other');
  return { format: flags.json ? 'json' : flags.jsonl ? 'jsonl' : 'text', quiet: flags.quiet === true };
}

/** What the command line says of one run. @throws DetentError `USAGE`. */
export function runRequest(flags: Flags): RunRequest {
  oneOf(flags, 'api', ['chat']);
  const maxSteps = wholeNumber(flags, 'max-steps', 1);
  const maxTokens = wholeNumber(flags, 'max-tokens', 1);
  const maxRetries = wholeNumber(flags, 'max-retries', 0);
  const timeoutMs = duration(flags, 'timeout');
  const tools = text(flags, 'tools');
  return {
    ...given('session', text(flags, 'session')),
    ...given('mode', oneOf<NonNullable<RunRequest['mode']>>(flags, 'mode', ['queue', 'steer', 'interrupt'])),
    ...given('model', text(flags, 'model')),
    ...given('baseUrl', text(flags, 'base-url')),
    ...given('apiKeyEnv', text(flags, 'api-key-env')),
    ...given('system', system(text(flags, 'system'))),
    ...given('approve', oneOf<NonNullable<RunRequest['approve']>>(flags, 'approve', ['ask', 'all', 'none'])),
    ...given(
      'tools',
      tools
        ?.split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
    limits: {
      ...given('maxSteps', maxSteps),
      ...given('maxTokens', maxTokens),
      ...given('maxRetries', maxRetries),
      ...given('timeoutMs', timeoutMs),
    },
  };
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function system(value: string | undefined): string | undefined {
  if (!value?.startsWith('@')) return value;
  try {
    return readFileSync(value.slice(1), 'utf8');
  } catch (error) {
    throw usage(`--system ${value} cannot be read: ${messageOf(error)}`);
  }
}
