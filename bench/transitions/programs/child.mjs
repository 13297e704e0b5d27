// One subject in a process of its own, in the folder that its packages are installed in. The first argument is the task as JSON.
// Each message of the parent asks for runs; the answer says what they took.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const task = JSON.parse(process.argv[2]);
let executions = 0;
const { open } = await import(`./${task.program}`);
const file = join(task.folder, `${randomUUID()}.db`);
const subject = await open({
  ...task,
  file,
  /** The work of a step. */
  bump(n) {
    executions += 1;
    return n + 1;
  },
});
process.on('message', async ({ length, runs, together, commits }) => {
  process.send(await measure({ length, runs, together, commits }));
});
process.on('disconnect', async () => {
  await subject.close();
  // Some leave sockets open.
  process.exit();
});
process.send('ready');

async function measure({ length, runs, together, commits }) {
  executions = 0;
  const before = commitsIn(`${file}-wal`);
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  if (together) await Promise.all(Array.from({ length: runs }, () => once(length, commits)));
  else for (let i = 0; i < runs; i++) await once(length, commits);
  const wallMs = performance.now() - wall;
  const { user, system } = process.cpuUsage(cpu);
  if (subject.counts !== false && executions !== runs * length)
    throw new Error(`${executions} executions of steps instead of ${runs * length}`);
  return { wallMs, cpuMs: (user + system) / 1000, commits: commitsIn(`${file}-wal`) - before };
}

async function once(length, commits) {
  const said = await subject.run(length, commits);
  if (said !== length) throw new Error(`a run of ${length} steps ended with ${said}`);
}

/** The last frame of each commit names the size of the database. A log that has begun anew ends where the salt differs. */
function commitsIn(log) {
  let bytes;
  try {
    bytes = readFileSync(log);
  } catch {
    return 0;
  }
  if (bytes.length < 32) return 0;
  const frame = 24 + bytes.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= bytes.length; at += frame) {
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break;
    if (bytes.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
