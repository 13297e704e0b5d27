import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** A function that a way passes through. */
export interface Stay {
  name: string;
  file: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const ours = /^(src|machines)\//;
const helpers = /^src\/(text|protocol)\//;

/**
 * The functions of a way, each once, from its start to its arrival.
 *
 * @param stacks those of {@link stacksHere}, the newest first
 */
export function staysOf(stacks: readonly string[]): Stay[] {
  const way: string[] = [];
  for (const stack of stacks) {
    const calls = callsOf(stack);
    // What was called back is a part of the function that set it up, in whose stack the way continues.
    const known = calls.indexOf(way.at(-1) ?? '');
    way.push(...calls.slice(known + 1));
  }
  return [...new Set(way.reverse())].map((call) => {
    const [file = '', name = ''] = call.split(' ');
    return { name, file };
  });
}

/** `file function` of each call of ours, the innermost first. What only waits for the end of a call has its own moment further back. */
function callsOf(stack: string): string[] {
  const calls: string[] = [];
  for (const line of stack.split('\n')) {
    const [, url, row, column] = /(file:\/\/[^\s()]+?):(\d+):(\d+)\)?$/.exec(line) ?? [];
    if (!url || line.includes(' at async ')) continue;
    const file = fileURLToPath(url).replace(root, '');
    if (!ours.test(file) || helpers.test(file)) continue;
    const name = functionAt(file, Number(row), Number(column));
    if (name) calls.push(`${file} ${name}`);
  }
  return calls;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

interface Named {
  name: string;
  start: number;
  end: number;
}

interface Source {
  lineStarts: number[];
  functions: Named[];
}

const sources = new Map<string, Source>();

/** The innermost function with a name at that place, with its class; empty for the module itself. */
function functionAt(file: string, line: number, column: number): string {
  let source = sources.get(file);
  if (!source) {
    source = readSource(file);
    sources.set(file, source);
  }
  const at = (source.lineStarts[line - 1] ?? 0) + column - 1;
  // Inner functions come behind those around them.
  return source.functions.findLast(({ start, end }) => start <= at && at < end)?.name ?? '';
}

function readSource(file: string): Source {
  const text = readFileSync(`${root}${file}`, 'utf8');
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const program = parseAst(text, { lang: 'ts' }, file) as unknown as Node;
  return { lineStarts, functions: [...namedIn(program, '', '')] };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** @param given the name that a function gets from what holds it: a variable, a property, a method */
function* namedIn(node: Node, owner: string, given: string): Generator<Named> {
  const { type, start, end } = node;
  const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
  const name = nameOf(node.id) || given;
  if (isFunction && name) yield { name: owner ? `${owner}.${name}` : name, start, end };
  const inner = type === 'ClassDeclaration' || type === 'ClassExpression' ? name : isFunction ? '' : owner;
  for (const [field, value] of Object.entries(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child))
        yield* namedIn(
          child,
          inner,
          field === 'value' || field === 'init' ? nameOf(node.key ?? node.id) : '',
        );
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'PrivateIdentifier') return `#${node.name}`;
  if (node.type === 'Literal') return String(node.value);
  return node.type === 'Identifier' ? String(node.name) : '';
}
