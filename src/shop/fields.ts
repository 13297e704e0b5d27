import * as z from 'zod/mini';

interface Text {
  type: 'string';
  minLength?: number;
  maxLength: number;
}

const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const name = { type: 'string', minLength: 1, maxLength: 500 } as const;

/** What a model may give to the tools of a shop, with the limits that what a backend answers has, too. */
export const fields = {
  id,
  ids: { type: 'array', items: id, minItems: 1, maxItems: 100 },
  name,
  quantity: { type: 'integer', minimum: 1, maximum: 99 },
  address: {
    address1: name,
    address2: { type: 'string', maxLength: 500 },
    city: name,
    state: { type: 'string', maxLength: 200 },
    zip: { type: 'string', minLength: 1, maxLength: 20 },
    country: name,
  },
} as const;

/** Reads such a text from a backend. */
export function textOf({ minLength = 0, maxLength }: Text) {
  return z.string().check(z.minLength(minLength), z.maxLength(maxLength));
}

/** Reads texts by their names. */
export function textsOf<Name extends string>(texts: Readonly<Record<Name, Text>>) {
  const read = Object.entries<Text>(texts).map(([name, text]) => [name, textOf(text)]);
  return Object.fromEntries(read) as Record<Name, ReturnType<typeof textOf>>;
}
