import { Validator } from '@cfworker/json-schema';
import { asyncApi } from '../../src/gateway/documents/async-api.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

const { components } = asyncApi(methods) as unknown as {
  components: { messages: Record<string, { payload: object }>; schemas: Record<string, unknown> };
};
const validators = new Map<string, Validator>();

/** What `docs/asyncapi.json` has against the frame of an event. Fields that it does not describe count, too. */
export function undescribed(frame: { event: string; type?: string }): string[] {
  return misfitsOf(`event ${frame.event}`, frame);
}

/** The same of the frame of an answer. */
export function undescribedAnswer(method: string, frame: { ok: boolean }): string[] {
  return misfitsOf(frame.ok ? `answer ${method}` : 'refusal', frame);
}

function misfitsOf(name: string, frame: object): string[] {
  const described = components.messages[name];
  if (!described) return [`${name} is not described`];
  const schema = closed({ ...described.payload, components: { schemas: partsOf(described.payload) } });
  const validator = validators.get(name) ?? new Validator(schema as object, '2020-12', false);
  validators.set(name, validator);
  const { errors } = validator.validate(frame);
  return errors.map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`);
}

/** The named schemas that a schema refers to. */
function partsOf(schema: unknown, found: Record<string, unknown> = {}): Record<string, unknown> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = components.schemas[name];
    partsOf(found[name], found);
  }
  return found;
}

/** A schema whose objects have no fields but those that it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isObject = 'properties' in schema && !('additionalProperties' in schema) && 'type' in schema;
  return isObject && schema.type === 'object' ? { ...inner, additionalProperties: false } : inner;
}
