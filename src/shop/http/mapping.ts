import { isObject } from '../../protocol/json.ts';
import { own } from '../../text/wording.ts';

/** Fills `{name}` in a template; what is not asked for is nothing. */
export function filled(template: string, values: object, encode: (text: string) => string = String): string {
  return template.replace(/\{([\w.]+)\}/g, (_, path: string) => {
    const value = at(values, path);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? encode(String(value))
      : '';
  });
}

/** A body: a string that is `{name}` whole becomes the value itself. */
export function filledBody(template: unknown, values: object): unknown {
  if (typeof template === 'string') {
    const [, path] = /^\{([\w.]+)\}$/.exec(template) ?? [];
    return path === undefined ? filled(template, values) : at(values, path);
  }
  if (Array.isArray(template)) return template.map((each) => filledBody(each, values));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, each]) => [key, filledBody(each, values)]));
}

/** An answer, as the models name its fields; of a list, each entry. */
export function renamed(answer: unknown, fields: Readonly<Record<string, string>>): unknown {
  if (Object.keys(fields).length === 0) return answer;
  if (Array.isArray(answer)) return answer.map((each) => renamed(each, fields));
  const made: Record<string, unknown> = {};
  for (const [field, path] of Object.entries(fields)) {
    const value = at(answer, path);
    if (value !== undefined) put(made, field.split('.'), value);
  }
  return made;
}

/** The value at a path such as `data.orders.0`; all of it for an empty path. */
export function at(value: unknown, path: string): unknown {
  return path === ''
    ? value
    : path
        .split('.')
        .reduce<unknown>(
          (found, key) => (isObject(found) || Array.isArray(found) ? own(Object(found), key) : undefined),
          value,
        );
}

function put(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (key === '__proto__') return;
  if (rest.length === 0) into[key] = value;
  else {
    const inner = isObject(into[key]) ? into[key] : {};
    into[key] = inner;
    put(inner, rest, value);
  }
}
