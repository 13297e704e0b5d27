import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { temporaryWorkspace } from '../../support/detent.ts';
import { expectReplaysIn } from '../../support/left-behind.ts';
import { inSizes } from '../../support/size.ts';
import { plainCourse } from './scenario.ts';
import { xstateExamples } from './xstate-examples.ts';

const names = inSizes({
  usual: ['workflow-async-subflow'],
  deep: ['workflow-async-subflow', 'workflow-credit-check, approved', 'workflow-parallel'],
  full: [
    'workflow-async-function',
    'workflow-async-subflow',
    'workflow-credit-check, approved',
    'workflow-greeting',
    'workflow-parallel',
  ],
});
const main = join(import.meta.dirname, 'killed-main.ts');

/** One process, which dies when the run has made that many transitions. What it printed, if it came to its end. */
async function live(workspace: string, name: string, killAfter: number): Promise<string | null> {
  const child = spawn(process.execPath, ['--no-warnings', main, workspace, name, String(killAfter)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = text(child.stdout);
  await once(child, 'exit');
  return child.signalCode === null ? printed : null;
}

describe.each(names)('%s', (name) => {
  it('comes to the end that createActor gives it, when its process is killed after each transition', async () => {
    const scenario = xstateExamples.find((one) => one.name === name);
    if (!scenario) throw new Error(`no example "${name}"`);
    const end = (await plainCourse(scenario, [])).at(-1)?.standing;
    const workspace = await temporaryWorkspace();
    let [lives, said] = [0, null as string | null];
    for (; said === null && lives < 20; lives++) said = await live(workspace, name, lives + 1);
    expect(JSON.parse(String(said))).toEqual({
      status: 'done',
      value: end?.value,
      context: end?.context,
      ...(end?.output !== undefined && { output: end.output }),
    });
    expect(lives).toBeGreaterThan(2);
    const done = readFileSync(join(workspace, 'ledger'), 'utf8').trim().split('\n');
    const services = scenario.course.length;
    // Each under one key, however often it was begun.
    expect(new Set(done).size).toBe(services);
    await expectReplaysIn(workspace);
    console.log(`${name}: SIGKILL after each of ${lives - 1} transitions, the same end`);
  });
});
