/**
 * What the first run of a Detent costs, and later ones: in this process, which is a fresh one. Run as built.
 *
 * @module
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { askedOfChild } from '../support/child.ts';

export interface SkillTask {
  /** In turns; one of them is what is measured in a process that has done nothing before. */
  workspaces: string[];
  /** `DETENT_HOME` */
  home: string;
  /** Of a mock server that answers at once. */
  models: Record<string, { baseUrl: string }>;
  /** Times that each of them gets a Detent of its own; the first few do not count. */
  rounds: number;
  /** Runs of one Detent, far enough from each other that each looks again whether skills have changed. */
  later: number;
}

/** Milliseconds of each, by workspace. */
export interface SkillTimes {
  /** From the import of Detent to the end of its first run. */
  coldMs: number;
  firstRuns: number[][];
  laterRuns: number[][];
}

/** Skills are looked at again after a second. */
const restMs = 1_100;
const warmUps = 3;

const { workspaces, home, models, rounds, later } = askedOfChild<SkillTask>();

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function newDetent(workspace: string) {
  const { createDetent } = await import('../../src/index.ts');
  return createDetent({
    workspace,
    model: 'mock/mock-0',
    models,
    store: 'in-process',
    env: { DETENT_HOME: home },
  });
}

async function firstRun(workspace: string): Promise<void> {
  const detent = await newDetent(workspace);
  await detent.run('hello').result;
  await detent.close();
}

const coldMs = await timed(() => firstRun(workspaces[0] ?? ''));
const firstRuns: number[][] = workspaces.map(() => []);
for (let round = -warmUps; round < rounds; round++)
  for (const [i, workspace] of workspaces.entries()) {
    const ms = await timed(() => firstRun(workspace));
    if (round >= 0) firstRuns[i]?.push(ms);
  }
const laterRuns: number[][] = workspaces.map(() => []);
if (later > 0) {
  const detents = await Promise.all(workspaces.map(newDetent));
  for (const detent of detents) await detent.run('hello').result;
  for (let round = 0; round < later; round++) {
    await sleep(restMs);
    for (const [i, detent] of detents.entries())
      laterRuns[i]?.push(await timed(() => detent.run('hello').result));
  }
  for (const detent of detents) await detent.close();
}
const times: SkillTimes = { coldMs, firstRuns, laterRuns };
console.log(JSON.stringify(times));
