import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { roomOf } from './check-tree.ts';
import type { SourceFile } from './read-tree.ts';

/** What a room weighs: what its readers must read, and what other rooms can reach. */
export interface Mass {
  lines: number;
  /** Names that its files export. */
  exports: number;
  /** Files that another room imports. */
  face: number;
  /** Files that a script writes, and that lie in the repository. */
  printed: number;
  /** `as never` and `as unknown as`. */
  casts: number;
  /** Functions that are handed to constructors, and to `create…` and `open…` functions: imports in disguise. */
  handedFunctions: number;
}

export const figureNames = ['lines', 'exports', 'face', 'printed', 'casts', 'handedFunctions'] as const;

interface Node {
  type: string;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Weighs one file. Its face is not known from its own text. */
export function weigh(path: string, text: string): Omit<Mass, 'face'> {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node;
  const nodes = [...within(program)];
  const local = functionsOf(nodes);
  return {
    lines: text.split('\n').length - 1,
    exports: nodes.reduce((sum, node) => sum + exportedNames(node), 0),
    printed: /^\/\/ Written by scripts\//.test(text) ? 1 : 0,
    casts: nodes.filter(isCast).length,
    handedFunctions: nodes
      .filter(isConstruction)
      .flatMap(({ arguments: given }) => given as Node[])
      .reduce((sum, argument) => sum + functionsIn(argument, local), 0),
  };
}

function* within(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* within(child);
}

/** The names that a file declares as functions. */
function functionsOf(nodes: readonly Node[]): ReadonlySet<string> {
  const named = nodes.filter(
    ({ type, init }) => type === 'FunctionDeclaration' || (type === 'VariableDeclarator' && isFunction(init)),
  );
  return new Set(named.map(({ id }) => nameOf(id)));
}

const nameOf = (node: unknown) => (isNode(node) && node.type === 'Identifier' ? String(node.name) : '');

const isFunction = (node: unknown) =>
  isNode(node) && (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression');

function exportedNames({ type, declaration, specifiers }: Node): number {
  if (type === 'ExportDefaultDeclaration' || type === 'ExportAllDeclaration') return 1;
  if (type !== 'ExportNamedDeclaration') return 0;
  if (!isNode(declaration)) return (specifiers as unknown[]).length;
  return declaration.type === 'VariableDeclaration' ? (declaration.declarations as unknown[]).length : 1;
}

function isCast({ type, typeAnnotation, expression }: Node): boolean {
  if (type !== 'TSAsExpression' || !isNode(typeAnnotation)) return false;
  if (typeAnnotation.type === 'TSNeverKeyword') return true;
  const isTwice =
    isNode(expression) && expression.type === 'TSAsExpression' && isNode(expression.typeAnnotation);
  return isTwice && (expression.typeAnnotation as Node).type === 'TSUnknownKeyword';
}

/** What the language and the browser have of their own takes functions as a rule. */
const builtIn = new Set([
  ...Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)),
  ...['ResizeObserver', 'MutationObserver', 'IntersectionObserver'],
]);

function isConstruction({ type, callee }: Node): boolean {
  const name = nameOf(callee);
  if (type === 'NewExpression') return !builtIn.has(name);
  return type === 'CallExpression' && /^(create|open)[A-Z]/.test(name);
}

/** The functions of an argument: itself, or those in an object literal, at any depth. */
function functionsIn(node: Node, local: ReadonlySet<string>): number {
  if (isFunction(node) || local.has(nameOf(node))) return 1;
  if (node.type !== 'ObjectExpression') return 0;
  return (node.properties as Node[])
    .map(({ value }) => (isNode(value) ? functionsIn(value, local) : 0))
    .reduce((sum, count) => sum + count, 0);
}

/** The mass of each room of a tree; of the tests, their lines. */
export function masses(root: string, tree: readonly SourceFile[]): Map<string, Mass> {
  const found = new Map<string, Mass>();
  const faces = new Set(
    tree.flatMap(({ path, files }) => files.filter((file) => roomOf(file) !== roomOf(path))),
  );
  for (const { path } of tree) {
    const room = found.get(roomOf(path)) ?? none();
    const weight = { ...weigh(path, readFileSync(join(root, path), 'utf8')), face: faces.has(path) ? 1 : 0 };
    for (const name of figureNames) room[name] += weight[name];
    found.set(roomOf(path), room);
  }
  const tests = globSync('test/**/*.{ts,tsx}', { cwd: root, exclude: ['test/fixtures/**'] });
  const lines = tests.map((path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1);
  found.set('test', { ...none(), lines: lines.reduce((sum, count) => sum + count, 0) });
  return found;
}

const none = (): Mass => ({ lines: 0, exports: 0, face: 0, printed: 0, casts: 0, handedFunctions: 0 });
