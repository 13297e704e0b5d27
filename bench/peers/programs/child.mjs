// One subject in a process of its own, in the folder that its packages are installed in. The first argument is the task as JSON:
// `runs` 0 does the work once, for the time of a start; else it warms up, measures, and prints one line.
import { memoryUsage } from 'node:process';

const { program, mode, url, rounds, folder, warmUps, runs } = JSON.parse(process.argv[2]);
let executions = 0;
const work = {
  url,
  mode,
  folder,
  model: `mock-${rounds}`,
  system: 'You are a bench agent.',
  prompt: 'go',
  tool: { name: 'lookup', description: 'Look a step up' },
  lookup(step) {
    executions += 1;
    return `result ${step}`;
  },
};

const began = performance.now();
const { open } = await import(`./${program}`);
const importMs = performance.now() - began;
const subject = await open(work);
await once();
if (runs > 0) {
  for (let i = 0; i < warmUps; i++) await once();
  const measured = await measure();
  // Twice, so that what finalizers free is gone, too.
  for (let i = 0; i < 2; i++) globalThis.gc();
  const heapMb = memoryUsage().heapUsed / 2 ** 20;
  const bytes = (await subject.close?.()) ?? null;
  const kbPerRun = bytes === null ? null : bytes / 1024 / (1 + warmUps + runs);
  console.log(JSON.stringify({ importMs, heapMb, kbPerRun, ...measured }));
} else await subject.close?.();
// Some leave sockets open.
process.exit();

async function once() {
  executions = 0;
  const text = await subject.run();
  if (!text.endsWith('all steps done.')) throw new Error(`wrong final text: ${JSON.stringify(text)}`);
  if (executions !== rounds) throw new Error(`${executions} tool executions instead of ${rounds}`);
}

async function measure() {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  for (let i = 0; i < runs; i++) await once();
  const wallMs = performance.now() - wall;
  const { user, system } = process.cpuUsage(cpu);
  const steps = runs * rounds;
  return { cpuMsPerStep: (user + system) / 1000 / steps, wallMsPerStep: wallMs / steps };
}
