// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the marks of configurations look like templates

import { own } from '../text/own.ts';
import { isObject } from './json.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

interface Substituted {
  value: unknown;
  /** One line for every place that could not be filled in, with its path from the top. */
  problems: string[];
}

/**
 * `$${` comes first, because it is the literal `${`. An incomplete variable matches too, to be reported as an error.
 */
const marks = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

/**
 * Fills variables into every text of a configuration: `${NAME}`, `${NAME:-fallback}`. A variable that is empty counts
 * as one that is not set. `$${` stands for `${` itself. Names of fields stay as they are.
 */
export function substitute(value: unknown, env: Variables, path: readonly string[] = []): Substituted {
  if (typeof value === 'string') return substituteText(value, env, path.join('.'));
  if (Array.isArray(value)) {
    const items = value.map((item, i) => substitute(item, env, [...path, String(i)]));
    return { value: items.map((item) => item.value), problems: items.flatMap((item) => item.problems) };
  }
  if (!isObject(value)) return { value, problems: [] };
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, substitute(inner, env, [...path, key])] as const,
  );
  return {
    value: Object.fromEntries(entries.map(([key, inner]) => [key, inner.value])),
    problems: entries.flatMap(([, inner]) => inner.problems),
  };
}

function substituteText(text: string, env: Variables, path: string): Substituted {
  const problems: string[] = [];
  const value = text.replace(marks, (mark, name: string | undefined, fallback: string | undefined) => {
    if (mark === '$${') return '${';
    if (name === undefined) {
      problems.push(
        `${path}: "\${" begins the name of a variable, as in \${NAME}; write $\${ for the characters`,
      );
      return mark;
    }
    const found = own(env, name) || fallback;
    if (found === undefined)
      problems.push(`${path}: the variable ${name} is not set; set it, or write \${${name}:-fallback}`);
    return found ?? mark;
  });
  return { value, problems };
}
