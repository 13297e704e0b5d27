import { StreamRedactor } from '../ports/stream-redactor.ts';

/** Shorter values would be found in innocent text. */
const minSecretLength = 8;
const secretName = /(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Whether a variable's name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

export interface Redactor {
  /** Takes known secrets out of a text, JSON included. */
  redact(text: string): string;
  /** The same for text that comes in pieces. */
  stream(): StreamRedactor;
}

/**
 * Makes what takes known secrets out of text, JSON text included, before anything is stored.
 *
 * @param env variables whose name says that they are secret, or that `named` lists, have secret values.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Redactor {
  const secrets: { value: string; mark: string }[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (
      value === undefined ||
      value.length < minSecretLength ||
      !(secretName.test(name) || named.includes(name))
    )
      continue;
    // A value of digits alone would be found in numbers, and taking it out would break the JSON.
    if (/^\d+$/.test(value)) continue;
    const mark = `[redacted:${name}]`;
    // Arguments of a call are JSON within JSON.
    for (const spelling of new Set([value, escaped(value), escaped(escaped(value))]))
      secrets.push({ value: spelling, mark });
  }
  // The longest first: one secret may contain another.
  secrets.sort((a, b) => b.value.length - a.value.length);
  const redact = (text: string) =>
    secrets.reduce((clean, { value, mark }) => clean.replaceAll(value, () => mark), text);
  const values = secrets.map(({ value }) => value);
  return { redact, stream: () => new StreamRedactor(values, redact) };
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A {@link Redactor} that learns of secrets while it is used. */
export interface SecretRedactor {
  redact(text: string): string;
  redactStream(): StreamRedactor;
  /** From now on the value of this variable is a secret, whatever it is called. */
  add(variable: string): void;
  addAll(variables: readonly string[]): void;
}

/** Which variables hold keys shows when models are resolved. */
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
