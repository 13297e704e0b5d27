/**
 * A run that waits for a person while no program lives.
 *
 *     node examples/confirm-later.ts
 *
 * Each `createDetent` below stands for a process of its own: they share only the database in the workspace.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDetent } from 'detent';

const workspace = await mkdtemp(join(tmpdir(), 'detent-example-'));
// The built-in demo model: it understands a few sentences, and calls real tools.
const options = { workspace, model: 'demo/demo' };

async function ask(): Promise<string> {
  const detent = createDetent(options);
  const run = detent.run('write "milk and eggs" to shopping.txt');
  const { status, pending } = await run.result;
  console.log(`${status}:`, pending[0]?.name, pending[0]?.arguments);
  await detent.close();
  return run.runId;
}

async function decide(runId: string): Promise<void> {
  const detent = createDetent(options);
  const { pending } = await detent.runs.show(runId);
  for (const { callId, argumentsHash } of pending) {
    // The hash proves that the arguments are those that the person saw.
    const { verdict } = await detent.runs.confirm(runId, callId, { verdict: 'approve', hash: argumentsHash });
    console.log(`${callId}: ${verdict}`);
  }
  // The decision is recorded; the run still has to be resumed.
  console.log((await detent.runs.show(runId)).status);
  await detent.close();
}

async function resumeRuns(): Promise<void> {
  const detent = createDetent(options);
  for (const runId of await detent.runs.resume()) {
    const { status, text } = await detent.runs.attach(runId).result;
    console.log(`${status}: ${text}`);
  }
  await detent.close();
}

await decide(await ask());
await resumeRuns();
console.log(await readFile(join(workspace, 'shopping.txt'), 'utf8'));
await rm(workspace, { recursive: true });
