import { Validator } from '@cfworker/json-schema';
import { asyncApi } from '../../src/gateway/async-api.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

const { components } = asyncApi(methods) as unknown as {
  components: { messages: Record<string, { payload: object }> };
};
const validators = new Map<string, Validator>();

/** What `docs/asyncapi.json` has against the frame of an event. Fields that it does not describe count, too. */
export function undescribed(frame: { event: string; type?: string }): string[] {
  const name = `event ${frame.event}`;
  const described = components.messages[name];
  if (!described) return [`${frame.event} is not described`];
  const validator =
    validators.get(name) ?? new Validator(closed(described.payload) as object, '2020-12', false);
  validators.set(name, validator);
  const { errors } = validator.validate(frame);
  return errors.map(({ instanceLocation, error }) => `${frame.event} ${instanceLocation}: ${error}`);
}

/** A schema whose objects have no fields but those that it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isObject = 'properties' in schema && !('additionalProperties' in schema) && 'type' in schema;
  return isObject && schema.type === 'object' ? { ...inner, additionalProperties: false } : inner;
}
