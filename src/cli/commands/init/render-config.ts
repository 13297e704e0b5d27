import { configTree, type Field, type Fields, longTime, withoutLinks } from '../../../protocol/config.ts';

/** Languages of a new configuration. */
export type ConfigLanguage = 'ts' | 'yaml' | 'json';

/** A new configuration with every field and a line about it, most of them commented out. JSON has no comments. */
export function renderConfig(language: ConfigLanguage): string {
  const fields = introduced(configTree);
  if (language === 'ts') return typescript(fields);
  return language === 'yaml' ? yaml(fields) : `${JSON.stringify(liveValues(fields), null, 2)}\n`;
}

/** A field in a new configuration. */
interface IntroducedField {
  name: string;
  /** The comment above it. */
  about: string;
  /** The fields below it, or an example. */
  value: readonly IntroducedField[] | ExampleValue;
  isLive: boolean;
}

/** `code` is TypeScript source, for `.ts` files only. */
type ExampleValue = { example: unknown } | { code: string };

function introduced(fields: Fields): IntroducedField[] {
  return Object.entries(fields).map(([name, field]) => {
    const value = shownValue(field);
    const isLive = field.isLive === true || (isGroup(value) && value.some((child) => child.isLive));
    return { name, about: aboutOf(name, field), value, isLive };
  });
}

function shownValue({ fields, entry, code, ...field }: Field): IntroducedField['value'] {
  if (fields) return introduced(fields);
  if (code !== undefined) return { code };
  if (entry && field.example === undefined)
    return [{ name: entry.exampleKey, about: entry.text, value: introduced(entry.fields), isLive: false }];
  return { example: field.example ?? field.default };
}

/** Mentions the default unless the example shows it. */
function aboutOf(name: string, { text, default: value, defaultText }: Field): string {
  const words = value === undefined ? defaultText : longTime(name, value);
  return withoutLinks(words ? `${text} Default: ${words}.` : text);
}

/** How one language writes fields. */
interface Syntax {
  comment: string;
  open(name: string): string;
  /** Null in YAML, where indentation ends a group. */
  close: string | null;
  field(name: string, value: ExampleValue): string;
}

const header = 'Uncomment what you want to change; "detent doctor" checks the result.';

function typescript(fields: readonly IntroducedField[]): string {
  const key = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`);
  const syntax: Syntax = {
    comment: '//',
    open: (name) => `${key(name)}: {`,
    close: '},',
    field: (name, value) => `${key(name)}: ${'code' in value ? value.code : literal(value.example)},`,
  };
  return [
    "import { defineConfig } from 'detent';",
    "import { weather } from './tools/weather.ts';",
    '',
    `// ${header}`,
    'export default defineConfig({',
    ...render(fields, syntax, '  '),
    '});',
    '',
  ].join('\n');
}

function yaml(fields: readonly IntroducedField[]): string {
  const key = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name));
  const syntax: Syntax = {
    comment: '#',
    open: (name) => `${key(name)}:`,
    close: null,
    // JSON is valid YAML.
    field: (name, value) => `${key(name)}: ${'example' in value ? JSON.stringify(value.example) : ''}`,
  };
  return [`# ${header}`, '', ...render(inYaml(fields), syntax, ''), ''].join('\n');
}

/** Puts an empty line between top-level groups. */
function render(fields: readonly IntroducedField[], syntax: Syntax, indent: string): string[] {
  return fields.flatMap((field, i) => [
    ...(i > 0 ? [''] : []),
    ...lines(field, syntax, false).map((line) => indent + line),
  ]);
}

/** Below a commented-out heading the `about` lines get a second sign: they stay comments when the group is uncommented. */
function lines({ name, about, value, isLive }: IntroducedField, syntax: Syntax, isWithin: boolean): string[] {
  const { comment, open, close } = syntax;
  const isOff = !isWithin && !isLive;
  const code = isGroup(value)
    ? [
        open(name),
        ...value.flatMap((child) => lines(child, syntax, isWithin || isOff)).map((line) => `  ${line}`),
        ...(close === null ? [] : [close]),
      ]
    : [syntax.field(name, value)];
  return [`${comment} ${about}`, ...(isOff ? code.map((line) => `${comment} ${line}`) : code)];
}

function isGroup(value: IntroducedField['value']): value is readonly IntroducedField[] {
  return Array.isArray(value);
}

/** Drops fields whose values are code. */
function inYaml(fields: readonly IntroducedField[]): IntroducedField[] {
  return fields.flatMap((field) => {
    const { value } = field;
    if (!isGroup(value)) return 'code' in value ? [] : [field];
    const inner = inYaml(value);
    return [{ ...field, value: inner, isLive: inner.some((child) => child.isLive) }];
  });
}

function liveValues(fields: readonly IntroducedField[]): Record<string, unknown> {
  return Object.fromEntries(
    inYaml(fields)
      .filter(({ isLive }) => isLive)
      .map(({ name, value }) => [
        name,
        isGroup(value) ? liveValues(value) : 'example' in value ? value.example : undefined,
      ]),
  );
}

/** A TypeScript literal with single quotes, bare keys and `30_000`. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "\\'")}'`;
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, value >= 10_000 ? '_' : '');
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${literal(inner)}`,
  );
  return `{ ${entries.join(', ')} }`;
}
