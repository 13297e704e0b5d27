import { approvals, modelApis, runModes } from '../../protocol/enums.ts';
import { messageOf } from '../../protocol/error.ts';
import type { RunRequest } from '../../runtime/config.ts';
import { readWholeSync } from '../../text/files.ts';
import type { Io } from '../terminal/io.ts';
import type { OutputOptions } from '../terminal/printer.ts';
import { duration, type Flags, given, money, oneOf, text, usage, wholeNumber } from './flags.ts';

/** @throws DetentError `USAGE`. */
export function outputOptions(flags: Flags, { stdout }: Pick<Io, 'stdout'>): OutputOptions {
  if (flags.json && flags.jsonl) throw usage('--json and --jsonl exclude each other');
  if (flags.deltas && !flags.jsonl) throw usage('--deltas goes with --jsonl');
  const quiet = flags.quiet === true;
  return {
    format: flags.json ? 'json' : flags.jsonl ? 'jsonl' : 'text',
    quiet,
    deltas: flags.deltas === true,
    // A program reads the answer with --quiet. It cannot take back what it has read.
    whole: quiet && stdout.isTTY !== true,
  };
}

/** The address that the command line names for a model. @throws DetentError `USAGE`. */
export function addressOf(flags: Flags): Pick<RunRequest, 'baseUrl' | 'apiKeyEnv' | 'api'> {
  return {
    ...given('baseUrl', url(flags, 'base-url')),
    ...given('apiKeyEnv', text(flags, 'api-key-env')),
    ...given('api', oneOf(flags, 'api', modelApis)),
  };
}

/** The request of a run, from the command line. @throws DetentError `USAGE`. */
export function runRequest(flags: Flags, io: Pick<Io, 'env' | 'path'>): RunRequest {
  return {
    ...given('sessionId', text(flags, 'session')),
    ...given('mode', oneOf(flags, 'mode', runModes)),
    ...given('agent', text(flags, 'agent')),
    ...given('model', text(flags, 'model') ?? modelOfEnvironment(flags, io)),
    ...addressOf(flags),
    ...given('system', systemPrompt(text(flags, 'system'), io)),
    ...given('approve', oneOf(flags, 'approve', approvals)),
    ...given('budget', text(flags, 'budget')),
    ...given('tools', list(text(flags, 'tools'))),
    ...given('skills', list(text(flags, 'skills'))),
    ...given('cache', flags['no-cache'] === true ? false : undefined),
    ...given('stream', flags['no-stream'] === true ? false : undefined),
    limits: {
      ...given('maxSteps', wholeNumber(flags, 'max-steps', 1)),
      ...given('maxTokens', wholeNumber(flags, 'max-tokens', 1)),
      ...given('maxCostUsd', money(flags, 'max-cost')),
      ...given('maxRetries', wholeNumber(flags, 'max-retries', 0)),
      ...given('timeoutMs', duration(flags, 'timeout')),
    },
  };
}

/** DETENT_MODEL takes precedence over the configuration, like a flag. It is not meant for a gateway, which has its own. */
function modelOfEnvironment(flags: Flags, { env }: Pick<Io, 'env'>): string | undefined {
  return flags.server === undefined ? env.DETENT_MODEL || undefined : undefined;
}

function list(value: string | undefined): string[] | undefined {
  return value
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function url(flags: Flags, name: string): string | undefined {
  const value = text(flags, name);
  if (value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  throw usage(`--${name} is an http(s) URL like http://127.0.0.1:11434/v1, not "${value}"`);
}

function systemPrompt(value: string | undefined, io: Pick<Io, 'path'>): string | undefined {
  if (!value?.startsWith('@')) return value;
  try {
    return readWholeSync(io.path(value.slice(1)), { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`--system ${value} cannot be read: ${messageOf(error)}`);
  }
}
