/**
 * Prints the types of the gateway's methods for clients, out of the schemas that the gateway checks them with.
 *
 *     node scripts/write-client-methods.ts           # brings src/client/methods.ts up to date
 *     node scripts/write-client-methods.ts --check   # exit code 1 when it is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { schemaOf } from '../src/gateway/dispatch.ts';
import { methods } from '../src/gateway/methods/methods.ts';

const file = new URL('../src/client/methods.ts', import.meta.url);

if (import.meta.main) {
  const wanted = clientMethodsSource();
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) !== wanted) {
    if (process.argv.includes('--check')) {
      console.error('src/client/methods.ts is out of date; run: npm run client:write');
      process.exitCode = 1;
    } else writeFileSync(file, wanted);
  }
}

/** The module with the types, and with the names of methods by what a repetition does. */
export function clientMethodsSource(): string {
  const entries = methods.map(({ name, summary, input, output }) => {
    const taken = schemaOf(input, 'input') as Schema;
    const given = schemaOf(output, 'output') as Schema;
    return `  /** ${summary} */
  '${name}': {
    input: ${typeOf(taken, taken, '    ')};
    output: ${typeOf(given, given, '    ')};
  };`;
  });
  const verbOf = ({ name }: { name: string }) => name.split('.').at(-1) ?? '';
  const reads = ({ scope, http }: (typeof methods)[number]) => scope === 'read' || http?.verb === 'get';
  const changing = methods.filter((method) => !reads(method)).map(verbOf);
  const reading = [...new Set(methods.filter(reads).map(verbOf))];
  const keyed = [...new Set(methods.filter((method) => method.keyed !== undefined).map(verbOf))];
  const both = reading.filter((verb) => changing.includes(verb));
  if (both.length > 0)
    throw new Error(`methods that read and methods that change something are called ${both}`);
  const keyless = changing.filter((verb) => !keyed.includes(verb));
  if (keyless.length > 0) throw new Error(`methods that change something take no key: ${keyless}`);
  return `// Written by scripts/write-client-methods.ts from the gateway's own table; a test fails while it is out of date.

/** What each method of the gateway takes and returns. */
export interface GatewayMethods {
${entries.join('\n')}
}

/**
 * What methods are called, behind the dot. First those that change nothing; then, from \`firstKeyed\` on, those that change
 * something, and take an \`idempotencyKey\`. No two of the two kinds are called the same.
 */
export const verbs: readonly string[] = '${[...reading, ...keyed].join(' ')}'.split(' ');

export const firstKeyed = ${reading.length};
`;
}

/** The part of JSON Schema that zod prints. */
interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

function typeOf(schema: Schema, root: Schema, indent: string, open: readonly string[] = []): string {
  const { $ref, type, anyOf, oneOf, allOf, items } = schema;
  const inner = (one: Schema) => typeOf(one, root, indent, open);
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    const found = root.$defs?.[name];
    // A schema within itself is that of any JSON.
    return !found || open.includes(name) ? 'unknown' : typeOf(found, root, indent, [...open, name]);
  }
  if (schema.enum) return schema.enum.map((value) => literal(value)).join(' | ');
  if ('const' in schema) return literal(schema.const);
  const choices = anyOf ?? oneOf;
  if (choices) {
    const types = [...new Set(choices.map(inner))];
    return types.some((one) => /\bunknown(?:\[\])?$|Record<string, unknown>/.test(one)) && types.length > 3
      ? 'unknown'
      : types.join(' | ');
  }
  if (allOf) return allOf.map(inner).join(' & ');
  if (type === 'array') {
    const item = items ? inner(items) : 'unknown';
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }
  if (Array.isArray(type)) return type.map((one) => inner({ ...schema, type: one })).join(' | ');
  if (type === 'object') return objectOf(schema, root, indent, open);
  if (type === 'integer') return 'number';
  return type !== undefined && ['string', 'boolean', 'null', 'number'].includes(type) ? type : 'unknown';
}

function objectOf(schema: Schema, root: Schema, indent: string, open: readonly string[]): string {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const names = Object.keys(properties);
  if (names.length === 0)
    return more === false
      ? 'Record<string, never>'
      : `Record<string, ${typeof more === 'object' ? typeOf(more, root, indent, open) : 'unknown'}>`;
  const deeper = `${indent}  `;
  const lines = names.map((name) => {
    const property = properties[name] as Schema;
    const about = property.description ?? '';
    const comment = about === '' ? '' : `${deeper}/** ${about} */\n`;
    const mark = required.includes(name) ? '' : '?';
    return `${comment}${deeper}${name}${mark}: ${typeOf(property, root, deeper, open)};`;
  });
  const rest = more === false || more === undefined ? [] : [`${deeper}[field: string]: unknown;`];
  return `{\n${[...lines, ...rest].join('\n')}\n${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}
