/**
 * Writes the tables of configuration fields into the documents, between `<!-- fields: PATH -->` and `<!-- /fields -->`.
 * The path is `all`, or that of a record with its key: `models.NAME`.
 *
 *     node scripts/write-config-reference.ts           # brings them up to date
 *     node scripts/write-config-reference.ts --check   # exit code 1 when one is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { configTree } from '../src/protocol/config/config.ts';
import { type Field, type Fields, longTime } from '../src/protocol/config/field.ts';

const documents = ['docs/configuration.md', 'docs/mcp.md'];

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const document of documents) {
    const file = new URL(`../${document}`, import.meta.url);
    const before = readFileSync(file, 'utf8');
    const after = withFieldTables(before);
    if (after === before) continue;
    if (!isCheck) writeFileSync(file, after);
    console.error(
      isCheck
        ? `${document} is out of date; run: node scripts/write-config-reference.ts`
        : `wrote the fields of ${document}`,
    );
    if (isCheck) process.exitCode = 1;
  }
}

/** The text with every table in it renewed. @throws Error when a marker names no fields. */
export function withFieldTables(text: string): string {
  return text.replaceAll(
    /(<!-- fields: (\S+) -->\n)[\s\S]*?(<!-- \/fields -->)/g,
    (_, open: string, path: string, close: string) => `${open}${table(path)}\n${close}`,
  );
}

function table(path: string): string {
  const fields = path === 'all' ? configTree : entryAt(configTree, path.split('.'));
  const rows = rowsOf(fields, path === 'all' ? '' : `${path}.`);
  return ['| field | default | |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The fields of an entry of a record: `mcp.servers.NAME`. */
function entryAt(fields: Fields, [name = '', ...rest]: readonly string[]): Fields {
  const { fields: inner, entry } = fields[name] ?? {};
  if (inner) return entryAt(inner, rest);
  if (!entry || rest.join('.') !== entry.key) throw new Error(`no record of the configuration has ${name}`);
  return entry.fields;
}

/** A record within an entry (`models.NAME.models`) has no table of its own: its fields follow it. */
function rowsOf(fields: Fields, prefix: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    if (field.fields) return rowsOf(field.fields, `${path}.`);
    if (field.entry && prefix.endsWith('NAME.'))
      return rowsOf(field.entry.fields, `${path}.${field.entry.key}.`);
    return [`| \`${path}\` | ${defaultOf(name, field)} | ${field.text} |`];
  });
}

function defaultOf(name: string, { default: value, defaultText }: Field): string {
  if (defaultText !== undefined) return defaultText;
  if (typeof value === 'number') {
    const time = longTime(name, value);
    return `${value.toLocaleString('en')}${time ? ` (${time})` : ''}`;
  }
  return `\`${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}\``;
}
