import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCodes } from '../../../src/workflow/check/findings.ts';
import { cases } from './cases.ts';
import { codesOf } from './support.ts';

describe.each(Object.keys(checkCodes))('%s', (code) => {
  const own = cases.filter((one) => one.code === code);

  it.each(own)('is found: $name', ({ faulty, at = 'chart.a' }) => {
    expect(codesOf(faulty)).toEqual([`${code} ${at}`]);
  });

  it.each(own)('is not found in the nearest chart without it: $name', ({ sound }) => {
    expect(codesOf(sound)).toEqual([]);
  });

  it('has a chart here', () => {
    expect(own).not.toEqual([]);
  });
});

it('leaves the clock and the dice as they were', () => {
  const found = () => [
    Date,
    Date.now,
    performance.now,
    Math.random,
    crypto.randomUUID,
    crypto.getRandomValues,
  ];
  const before = found();
  for (const { faulty } of cases.filter(({ code }) => code === 'IMPURE')) codesOf(faulty);
  expect(found()).toEqual(before);
  expect(Object.getOwnPropertyNames(performance)).not.toContain('now');
});

it('is documented: each code with its level, and no other one', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/workflow-checks.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  const documented = sections.flatMap((section) => {
    const level = section.startsWith('Errors') ? 'error' : 'warning';
    return [...section.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => [code, level]);
  });
  expect(Object.fromEntries(documented)).toEqual(checkCodes);
  expect(documented).toHaveLength(Object.keys(checkCodes).length);
});
