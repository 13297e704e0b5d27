import type { Variables } from '../../protocol/json.ts';
import { isObject } from '../../protocol/json.ts';
import type { Config } from '../config/detent-options.ts';
import { createRedactor, isSecretName } from '../config/redaction.ts';

const hidden = '***';

/**
 * Returns a function that removes secrets from a configuration before it is shown: known values anywhere, the values of
 * all headers and of the servers' variables, texts whose name says that they are secret, and keys in addresses and
 * arguments.
 *
 * @param named variables that hold secrets, in addition to those that their name reveals.
 */
export function createHider(
  env: Variables,
  named: readonly string[],
): (path: string, value: unknown) => unknown {
  const { redact } = createRedactor(env, named);
  const hide = (path: string, value: unknown): unknown => {
    if (typeof value === 'string')
      return isSecretField(path) ? hidden : redact(withoutArguments(withoutKeys(value)));
    if (Array.isArray(value))
      return value.map((item, i) =>
        typeof item === 'string' && isSecretFlag(value[i - 1]) ? hidden : hide(`${path}.${i}`, item),
      );
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, hide(path === '' ? key : `${path}.${key}`, inner)]),
    );
  };
  return hide;
}

/** The variables with placeholders for secret values, so that even a short one stays hidden. */
export function withoutSecrets(env: Variables, named: readonly string[]): Variables {
  const entries = Object.entries(env).map(([name, value]) =>
    value && (isSecretName(name) || named.includes(name)) ? [name, `[redacted:${name}]`] : [name, value],
  );
  return Object.fromEntries(entries);
}

/** An address without credentials before its `@`, and without the values of query parameters named like keys. */
export function withoutKeys(text: string): string {
  if (!URL.canParse(text)) return text;
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${hidden}@`)
    .replaceAll(/([?&][^=&#]*(?:key|token|secret|password|sig)[^=&#]*=)[^&#]*/gi, `$1${hidden}`);
}

/** `--token=…` and `TOKEN=…` without the value. */
function withoutArguments(text: string): string {
  return text.replaceAll(/(\b[-\w]*(?:api[-_]?key|token|secret|passwo?r?d)=)[^\s&#]+/gi, `$1${hidden}`);
}

function isSecretFlag(word: unknown): boolean {
  return typeof word === 'string' && /^--?\S+$/.test(word) && isSecretName(word.replaceAll('-', '_'));
}

function isSecretField(path: string): boolean {
  return /(^|\.)(headers|env)\./.test(path) || isSecretName(path);
}

/** The variables that a configuration names as secret, or as holding keys. */
export function secretVariables({ secrets = [], models = {} }: Config): string[] {
  const keys = Object.values(models).flatMap((provider) =>
    'apiKeyEnv' in provider && provider.apiKeyEnv !== undefined ? [provider.apiKeyEnv] : [],
  );
  return [...secrets, ...keys];
}
