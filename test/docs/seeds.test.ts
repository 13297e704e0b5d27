import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createProgram } from '../../src/cli/program.ts';
import config from '../../vitest.config.ts';
import { read, root } from './markdown.ts';

interface Line {
  id: string;
  section: string;
  proofs: string[];
  /** What is missing, in words. */
  missing: string | null;
}

const sections = read('docs/seeds.md').split(/^## /m).slice(1);
const lines = sections.flatMap((section) => {
  const rows = [...section.matchAll(/^\| (?!---|line )(.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
  return rows.map((cells): Line => {
    expect(cells, cells[0]).toHaveLength(4);
    const [id = '', , , last = ''] = cells;
    const [, proofs = '', missing = null] = /^((?:`[^`]+`(?:; |$))*)(?:not done: (.+))?$/.exec(last) ?? [];
    const [name = ''] = section.split('\n');
    return {
      id,
      section: name,
      proofs: [...proofs.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one),
      missing,
    };
  });
});

const proofsBy = (isMeant: (proof: string) => boolean) =>
  [...new Set(lines.flatMap(({ proofs }) => proofs))].filter(isMeant);

/** A part of a syntax tree. */
interface Node {
  type: string;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

/** The words behind `it` or `describe`, such as `each` and `concurrent`; null for another call. */
function chainOf(callee: unknown, chain: string[] = []): string[] | null {
  if (!isNode(callee)) return null;
  if (callee.type === 'CallExpression') return chainOf(callee.callee, chain);
  if (callee.type === 'MemberExpression') {
    return chainOf(callee.object, [...chain, (callee.property as { name?: string }).name ?? '']);
  }
  return /^(it|itDeep|test|describe\w*)$/.test(String(callee.name)) ? chain : null;
}

/** The names of the tests and suites of a file that run, as they are written. */
function namesOf(file: string): Set<string> {
  const text = readFileSync(join(root, file), 'utf8');
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isNode(value)) return;
    const chain = value.type === 'CallExpression' ? chainOf(value.callee) : null;
    if (chain?.some((word) => /^(skip|todo)/.test(word))) return;
    const [first] = chain ? (value.arguments as (Node & { start: number; end: number })[]) : [];
    if (first?.type === 'Literal') names.add(String(first.value));
    if (first?.type === 'TemplateLiteral') names.add(text.slice(first.start + 1, first.end - 1));
    for (const field of Object.values(value)) walk(field);
  };
  walk(parseAst(text, { lang: 'ts' }).body);
  return names;
}

/** The files of the projects that `npm test` runs. */
const suites = new Set(
  (config.test?.projects ?? []).flatMap((project) => {
    const { include = [], exclude = [] } = (project as { test: { include?: string[]; exclude?: string[] } })
      .test;
    return globSync(include, { cwd: root, exclude });
  }),
);

describe('docs/seeds.md', () => {
  it('has lines of all four designs, each once in its design', () => {
    const names = [...new Set(lines.map(({ section }) => section))];
    expect(names.map((name) => lines.filter(({ section }) => section === name).length)).toEqual([
      30, 15, 34, 32,
    ]);
    const ids = lines.map(({ id, section }) => `${section}: ${id}`);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('says of each line what proves it, or that it is not done, and nothing else', () => {
    expect(lines.filter(({ proofs, missing }) => proofs.length === 0 && missing === null)).toEqual([]);
    expect(proofsBy((proof) => !/^(test\/\S+\.test\.ts › |detent |npm )/.test(proof))).toEqual([]);
  });

  it.each(proofsBy((proof) => proof.startsWith('test/')))('%s', (proof) => {
    const [, file = '', name = ''] = /^(\S+) › (.*)$/.exec(proof) ?? [];
    expect(suites).toContain(file);
    expect(namesOf(file)).toContain(name);
  });

  it.each(proofsBy((proof) => proof.startsWith('detent ')))('%s', async (proof) => {
    const [, ...words] = proof.split(' ');
    let command = await createProgram();
    for (const word of words) {
      const found = command.commands.find((one) => one.name() === word);
      if (!found) throw new Error(`there is no command "${word}" below "${command.name()}"`);
      command = found;
    }
  });

  it.each(proofsBy((proof) => proof.startsWith('npm ')))('%s', (proof) => {
    const [, script = '', bench] = /^npm (?:run )?(\w+)(?: -- (\w+))?$/.exec(proof) ?? [];
    expect(Object.keys(packageJson.scripts)).toContain(script);
    if (bench) expect(read('bench/main.ts')).toMatch(new RegExp(`^ {2}${bench}: \\(\\) => import`, 'm'));
  });
});
