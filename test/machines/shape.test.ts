import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callMachine, callMachineVersion } from '../../machines/call.machine.ts';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import { defaultLimits } from '../../src/store/run-options.ts';
import { shortHash } from '../../src/text/ids.ts';
import { printMachine } from '../engine/print-machine.ts';
import { machineOf, rename } from '../engine/print-versions.ts';
import { machineShape } from './machine-shape.ts';

interface Shape {
  hash: string;
  lines: string[];
}

const folder = new URL('./shapes/', import.meta.url);
const fileOf = (version: number, machine = 'run') => new URL(`${machine}.${version}.json`, folder);
const remedyOf = (
  machine: string,
  version: number,
) => `machines/${machine}.machine.ts is not what version ${version} was. Runs of that version are parked in
databases, so: raise ${machine}MachineVersion, keep the old machine or write a migration from it (docs/versions.md), and record
the new shape with DETENT_WRITE_SHAPE=1 vitest run --project unit test/machines/shape.test.ts`;

const call = { gate: 'run', class: 'unsafe' } as const;

it.each([
  { name: 'run', version: runMachineVersion, machine: runMachine },
  { name: 'call', version: callMachineVersion, machine: callMachine },
])('the $name machine has the shape that its version has always had', ({ name, version, machine }) => {
  const lines = machineShape(machine, { limits: defaultLimits, ...(name === 'call' && { call }) });
  const shape: Shape = { hash: shortHash(lines.join('\n')), lines };
  const file = fileOf(version, name);
  if (process.env.DETENT_WRITE_SHAPE === '1') writeFileSync(file, `${JSON.stringify(shape, null, 2)}\n`);
  const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Shape) : null;
  expect(shape, remedyOf(name, version)).toEqual(recorded);
});

it('the recorded shapes are those of all versions so far, and no two are the same', () => {
  const versions = Array.from({ length: runMachineVersion }, (_, i) => i + 1);
  const all = [...versions.map((version) => `run.${version}.json`), `call.${callMachineVersion}.json`];
  expect(readdirSync(folder).sort()).toEqual(all.sort());
  const hashes = versions.map((version) => (JSON.parse(readFileSync(fileOf(version), 'utf8')) as Shape).hash);
  expect(new Set(hashes).size).toBe(hashes.length);
});

it('version 2 has all that version 1 had, so it folds the logs of version 1', () => {
  const added = /\b(parkCall|unparkCalls|resumeClock|mayPark|isParkedCall|hasParked)\b/;
  const without = (line: string) =>
    line
      .split(/(?<=[:/,]) | (?=\/)/)
      .filter((word) => !added.test(word))
      .join(' ');
  const [one, two] = [1, 2].map((version) => readFileSync(fileOf(version), 'utf8'));
  /** The guards that version 2 calls by other names. */
  const renamed: Record<string, string> = {
    isFailingOn: 'hasTooManyErrors',
    mayRetryCare: 'mayRetryCompaction',
  };
  const chart = (text = '') =>
    (
      JSON.parse(text.replace(/isFailingOn|mayRetryCare/g, (name) => renamed[name] ?? name)) as Shape
    ).lines.filter((line) => !/^(actions|guards):/.test(line));
  const isNew = (line: string) => /\[(mayPark|isParkedCall|hasParked)\]/.test(line);
  expect(
    chart(two)
      .filter((line) => !isNew(line))
      .map(without),
  ).toEqual(chart(one).map(without));
});

it('version 3 has all that version 2 had, so it continues the runs of version 2', () => {
  const [two, three] = [2, 3].map(
    (version) => JSON.parse(readFileSync(fileOf(version), 'utf8')) as Shape,
  ) as [Shape, Shape];
  const without = three.lines
    .filter((line) => !/\[(hasInvalidOutput|hasMadeItsCall)\]/.test(line))
    // True for every run of version 2: none makes a given call.
    .map((line) => line.replace(' [takesMessages]', ''))
    .map((line) => line.replaceAll(/ (hasInvalidOutput|hasMadeItsCall|takesMessages)\b/g, ''));
  expect(without).toEqual(two.lines);
});

it('version 4 is version 3 without the one given call, so it continues its runs, which a migration takes out of that', () => {
  const [three, four] = [3, 4].map((version) => JSON.parse(readFileSync(fileOf(version), 'utf8')) as Shape);
  const without = three?.lines
    .filter((line) => !line.includes('[hasMadeItsCall]'))
    .map((line) => line.replace(' [takesMessages]', ''))
    .map((line) => line.replaceAll(/ (hasMadeItsCall|takesMessages)\b/g, ''));
  expect(four?.lines).toEqual(without);
});

it.each([
  ['a state', 'jammed'],
  ['an event', 'print.jam'],
  ['an action', 'settle'],
  ['an effect', 'effect.print'],
  ['a guard', 'isLast'],
  ['the id of a timer', 'help'],
  ['a tag', 'waiting'],
])('a shape shows that %s has another name', (_, name) => {
  const input = { pages: 1 };
  const config = printMachine.config as never;
  const same = machineShape(machineOf(config), input);
  expect(same).toEqual(machineShape(printMachine, input));
  expect(machineShape(machineOf(rename(config, { [name]: 'renamed' }) as object), input)).not.toEqual(same);
});
