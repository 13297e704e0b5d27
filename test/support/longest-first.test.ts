import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longest } from './longest-first.ts';

it('the files that are to start first exist, each named once', () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});
