import type { Variables } from '../../protocol/json.ts';
import { passwordsIn, StreamRedactor } from '../../text/wording.ts';
import type { DetentOptions } from './detent-options.ts';

/** Shorter values would match innocent text. */
const minSecretLength = 8;
const secretName = /(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Whether a variable's name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

interface Redactor {
  /** Takes known secrets out of a text, JSON included. */
  redact(text: string): string;
  /** The same for text that comes in pieces. */
  stream(): StreamRedactor;
}

/**
 * Makes a redactor, which takes known secrets out of text and JSON before it is stored.
 *
 * @param env a variable is secret if its name says so, or if `named` lists it. Of an address with a password, that is.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Redactor {
  const secrets: { value: string; mark: string }[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const isSecret = secretName.test(name) || named.includes(name);
    const mark = `[redacted:${name}]`;
    for (const secret of isSecret ? [value] : passwordsIn(value)) {
      // A value of only digits would match numbers, and removing it would break the JSON.
      if (secret.length < minSecretLength || /^\d+$/.test(secret)) continue;
      // The arguments of a call are JSON inside JSON, so the value may be escaped twice.
      for (const spelling of new Set([secret, escaped(secret), escaped(escaped(secret))]))
        secrets.push({ value: spelling, mark });
    }
  }
  // The longest first: one secret may contain another.
  secrets.sort((a, b) => b.value.length - a.value.length);
  const redact = (text: string) =>
    secrets.reduce((clean, { value, mark }) => clean.replaceAll(value, () => mark), text);
  const values = secrets.map(({ value }) => value);
  return { redact, stream: () => new StreamRedactor(values, redact) };
}

/** The variables, and the address of the database, whose password is a secret, too. */
export function withDatabaseUrl({ database }: Pick<DetentOptions, 'database'>, env: Variables): Variables {
  return database?.url === undefined ? env : { ...env, 'database.url': database.url };
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A {@link Redactor} to which secrets can be added. */
export interface SecretRedactor {
  redact(text: string): string;
  redactStream(): StreamRedactor;
  /** Makes the value of this variable a secret from now on, whatever its name. */
  add(variable: string): void;
  addAll(variables: readonly string[]): void;
}

/** Starts with the named secrets. The variables that hold API keys are added when models are resolved. */
export function createSecretRedactor(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): SecretRedactor {
  const names = new Set(named);
  let current = createRedactor(env, [...names]);
  const addAll = (variables: readonly string[]) => {
    if (variables.every((name) => names.has(name))) return;
    for (const name of variables) names.add(name);
    current = createRedactor(env, [...names]);
  };
  return {
    redact: (text) => current.redact(text),
    redactStream: () => current.stream(),
    add: (name) => addAll([name]),
    addAll,
  };
}
