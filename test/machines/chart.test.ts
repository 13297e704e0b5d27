import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callMachine } from '../../machines/call.machine.ts';
import { runMachine } from '../../machines/run.machine.ts';
import { createRunHost } from '../../src/agent/run-host.ts';
import { createCallHost } from '../../src/call/call-host.ts';
import type { MachineHost } from '../../src/engine/machine/machine-host.ts';

interface Config {
  [key: string]: unknown;
  states?: Record<string, Config>;
}

const folder = new URL('../../machines/', import.meta.url);
const sources = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(new URL(name, folder), 'utf8'),
}));

function* nodes(config: Config, path: string): Generator<[path: string, config: Config]> {
  yield [path, config];
  for (const [name, child] of Object.entries(config.states ?? {})) yield* nodes(child, `${path}.${name}`);
}

function listOf(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** All transitions of a state's own config. */
function transitionsOf({ on, always }: Config): Record<string, unknown>[] {
  const lists = [...Object.values((on as Record<string, unknown>) ?? {}), always];
  return lists
    .flatMap(listOf)
    .map((one) => (typeof one === 'string' ? { target: one } : one) as Record<string, unknown>);
}

const isNamed = (one: unknown) =>
  typeof one === 'string' || typeof (one as { type?: unknown }).type === 'string';

describe.each([
  { name: 'run', machine: runMachine, hostOf: () => createRunHost({} as never) as MachineHost },
  { name: 'call', machine: callMachine, hostOf: () => createCallHost({} as never) as MachineHost },
])('the $name chart', ({ name: chart, machine, hostOf }) => {
  const all = [...nodes(machine.config as Config, chart)];

  it('names all its actions and guards, so that it can be drawn', () => {
    for (const [path, config] of all) {
      const transitions = transitionsOf(config);
      const actions = [config.entry, config.exit, ...transitions.map((one) => one.actions)].flatMap(listOf);
      const guards = transitions.map((one) => one.guard).filter((guard) => guard !== undefined);
      expect([path, [...actions, ...guards].filter((one) => !isNamed(one))]).toEqual([path, []]);
    }
  });

  it('invokes, spawns and delays nothing by itself', () => {
    for (const [path, config] of all)
      expect([path, config.invoke, config.after, config.onDone]).toEqual([
        path,
        undefined,
        undefined,
        undefined,
      ]);
    expect(Object.keys(machine.implementations.actors)).toEqual([]);
    expect(Object.keys(machine.implementations.delays)).toEqual([]);
  });

  it('has no state with both entry effects and an eventless way out: that would orphan effects', () => {
    const both = all.filter(([, { entry, always }]) => entry !== undefined && always !== undefined);
    expect(both.map(([path]) => path)).toEqual([]);
  });

  it('listens to no event of xstate’s own', () => {
    const events = all.flatMap(([, { on }]) => Object.keys((on as object) ?? {}));
    expect(
      events.filter((event) => !/^[a-z]+\.[a-zA-Z]+$/.test(event) || event.startsWith('xstate')),
    ).toEqual([]);
  });

  it('has a description for every state in which something is awaited', () => {
    const leaves = all.filter(([, { states, type }]) => !states && type !== 'final');
    expect(leaves.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
  });

  it('asks for nothing that its host does not know', () => {
    const host = hostOf();
    const known = new Set([
      'timer.set',
      'timer.clear',
      'effect.hold',
      'effect.abort',
      ...Object.keys(host.effects),
      ...Object.keys(host.rows),
    ]);
    const asked = Object.keys(machine.implementations.actions).filter((name) => name.includes('.'));
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the files of machines', () => {
  it.each(sources)('$name imports xstate and its neighbours alone', ({ text }) => {
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imports.filter((from) => from !== 'xstate' && !/^\.\/[\w.-]+\.ts$/.test(from ?? ''))).toEqual([]);
    expect(text).not.toMatch(/\bimport\(/);
  });

  it.each(sources)('$name knows no clock, no chance and no world', ({ text }) => {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g, '');
    expect(code).not.toMatch(
      /\b(Date|Math\.random|crypto|performance|process|globalThis|setTimeout|fetch|console)\b/,
    );
  });
});
