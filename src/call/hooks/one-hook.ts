import { afterTimeOf, awaitForeign } from '../../engine/foreign-code.ts';
import { messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import type { HookPoint } from '../../protocol/ports.ts';

/** A hook's validated answer. */
type HookAnswer =
  | { did: 'nothing' }
  | { did: 'addContext'; text: string }
  | { did: 'rewrite'; to: unknown }
  | { did: 'veto'; reason: string }
  | { did: 'failed'; reason: string };

const mayAnswer: Readonly<Record<HookPoint, readonly string[]>> = {
  runStart: ['addContext'],
  beforeModel: ['addContext', 'veto'],
  afterModel: ['rewrite', 'veto'],
  beforeTool: ['rewrite', 'veto'],
  afterTool: ['rewrite'],
  beforeCompact: ['veto'],
  runWaiting: [],
  runDecided: [],
  runEnd: [],
};

const maxContextChars = 8_000;
const maxReasonChars = 1_000;

type Loose = (view: object, signal: AbortSignal) => unknown;

/** Calls one hook with a timeout. Never rejects: an error becomes the answer `failed`. */
export async function callHook(
  point: HookPoint,
  hook: Loose,
  view: object,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<HookAnswer> {
  const own = new AbortController();
  const late = Promise.withResolvers<HookAnswer>();
  const stop = (reason: string) => {
    late.resolve(hookFailed(reason));
    own.abort();
  };
  const onAbort = () => stop('the run was stopped while the hook was running');
  const end = afterTimeOf(timeoutMs, () => stop(`it took longer than ${timeoutMs} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([late.promise, answered(point, hook, view, own.signal)]);
  } finally {
    end();
    signal.removeEventListener('abort', onAbort);
  }
}

async function answered(
  point: HookPoint,
  hook: Loose,
  view: object,
  signal: AbortSignal,
): Promise<HookAnswer> {
  try {
    return checked(point, await awaitForeign(ownerOf(point, hook), () => hook(view, signal)));
  } catch (error) {
    return hookFailed(`it threw: ${messageOf(error)}`);
  }
}

function ownerOf(point: HookPoint, { name }: Loose): string {
  return name === '' || name === point ? `a hook of ${point}` : `hook "${name}" of ${point}`;
}

function checked(point: HookPoint, answer: unknown): HookAnswer {
  if (answer === undefined || answer === null) return { did: 'nothing' };
  if (!isObject(answer)) return hookFailed(`it answered ${typeof answer}; ${expected(point)}`);
  const keys = Object.keys(answer);
  const [key = ''] = keys;
  if (keys.length !== 1 || !mayAnswer[point].includes(key))
    return hookFailed(`it answered { ${keys.slice(0, 5).join(', ')} }; ${expected(point)}`);
  const value = answer[key];
  if (key === 'rewrite') return rewritten(point, value);
  if (typeof value !== 'string') return hookFailed(`its ${key} is not a text`);
  if (key === 'veto') return { did: 'veto', reason: value.slice(0, maxReasonChars) };
  if (value.length > maxContextChars)
    return hookFailed(`its addContext has ${value.length} characters, more than ${maxContextChars}`);
  return value === '' ? { did: 'nothing' } : { did: 'addContext', text: value };
}

function rewritten(point: HookPoint, to: unknown): HookAnswer {
  if (point !== 'beforeTool')
    return typeof to === 'string' ? { did: 'rewrite', to } : hookFailed('its rewrite is not a text');
  return isObject(to) ? { did: 'rewrite', to } : hookFailed('its rewrite is not an object of arguments');
}

function expected(point: HookPoint): string {
  const words = mayAnswer[point].map((key) => `{ ${key} }`);
  return `a ${point} hook answers ${['nothing', ...words].join(' or ')}`;
}

function hookFailed(reason: string): HookAnswer {
  return { did: 'failed', reason: reason.slice(0, maxReasonChars) };
}
