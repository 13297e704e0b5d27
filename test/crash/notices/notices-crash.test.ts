import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';
import { startPlace } from '../harness/server.ts';

const parked = inSizes({ usual: 12, deep: 20, full: 200 });
/** So many runs wait of those that a process starts, if it lives so long. */
const perLife = 4;

it(`${parked} runs that park while gateway and receiver are killed are told of, each under one id, and no other run`, async () => {
  const workspace = await temporaryWorkspace();
  const taken: string[] = [];
  let isDown = false;
  const beats = new EventEmitter();
  const { url, close } = await startPlace((request, response) => {
    const id = String(request.headers['webhook-id']);
    // A receiver that dies has taken the notice, or not, and its sender does not know.
    if (!isDown || Math.random() < 0.3) taken.push(id);
    beats.emit('beat');
    if (isDown) return void request.socket.destroy();
    response.writeHead(204).end();
  });

  let child: ChildProcess | null = null;
  const begin = async (life: number, count: number) => {
    const file = programFile('test/crash/notices/child');
    const args = [file, workspace, url, String(life), String(count)];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout ?? child, 'data');
    child.stdout?.on('data', () => beats.emit('beat'));
    return child;
  };
  const waiting = async () => {
    const reading = createDetent({ workspace, env: {}, readonly: true });
    const runs = await reading.runs.list({ limit: 1_000, status: ['waiting'] });
    await reading.close();
    return runs.map(({ runId }) => `msg_${runId}.c2.1`);
  };

  let life = 1;
  for (let known = 0; known < parked; life++) {
    const now = await begin(life, 2 * perLife);
    isDown = life % 3 === 0;
    // A life ends at a run that came to rest or a notice that came, or shortly after: however slow the machine is, lives get somewhere.
    for (let left = 1 + Math.floor(Math.random() * 2 * perLife); left > 0; left--) await once(beats, 'beat');
    await sleep(Math.random() * 50);
    now.kill('SIGKILL');
    await once(now, 'exit');
    known = (await waiting()).length;
  }
  isDown = false;
  const last = await begin(life, 0);
  await expect.poll(async () => (await waiting()).filter((id) => !taken.includes(id))).toEqual([]);
  last.kill('SIGKILL');
  await once(last, 'exit');
  await close();
  // The last process also goes on with runs that were killed before they asked.
  const ids = await waiting();
  const strange = [...new Set(taken)].filter((id) => !ids.includes(id));
  console.log(`${ids.length} runs wait, ${taken.length} notices were taken in ${life} lives`);
  expect(strange).toEqual([]);
});
