import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { median, rounded } from '../support/numbers.ts';
import { tell } from '../support/tell.ts';
import type { Subject } from './subjects.ts';

/** A subject whose packages are installed in a folder, with its program. */
export interface Installed {
  subject: Subject;
  folder: string;
}

interface Sizes {
  /** Of each way, in turns. */
  batches: number;
  runs: number;
  /** Runs at once, and how often. */
  together: number;
  crowds: number;
}

/** What one way of one subject took: medians of its batches. */
export interface FlowTimes {
  name: string;
  mode: string;
  /** Of a run of three steps. */
  run: Times;
  /** Of one step more, from runs of three and of thirteen. */
  step: Times;
  /** Of a run of three steps, of one step more. */
  commits: { run: number; step: number };
  /** Runs of three steps a second, when many are started at once. */
  perSecond: number;
}

export interface Times {
  wallMs: number;
  cpuMs: number;
}

interface Batch extends Times {
  commits: number;
}

interface Ask {
  length: number;
  runs: number;
  together?: boolean;
}

interface Way {
  name: string;
  mode: string;
  ask(asked: Ask, commits?: number): Promise<Batch>;
  stop(): void;
}

const [short, long] = [3, 13];

/** Measures all ways of all subjects: each in a process of its own, a batch of each in turns. The floor makes the commits of Detent's steps. */
export async function measureFlows(
  installed: readonly Installed[],
  scratch: string,
  { batches, runs, together, crowds }: Sizes,
): Promise<FlowTimes[]> {
  const ways: Way[] = [];
  try {
    for (const { subject, folder } of installed)
      for (const mode of subject.modes) ways.push(await startWay(subject, mode, folder, scratch));
    const commits = new Map<Way, number[]>();
    for (const way of ways) commits.set(way, await commitsOf(way));
    const ofSteps = commits.get(ways.find(({ mode }) => mode.startsWith('steps')) as Way) ?? [];
    const found = new Map(ways.map((way) => [way, { short: [], long: [], crowd: [] } as Found]));
    for (let i = 0; i <= batches; i++)
      for (const way of ways) {
        tell(`${way.name}, ${way.mode}: ${i} of ${batches}`);
        const own = found.get(way) as Found;
        const first = await way.ask({ length: short, runs }, ofSteps[0]);
        const second = await way.ask({ length: long, runs }, ofSteps[1]);
        // The first batches compile.
        if (i > 0) own.short.push(first);
        if (i > 0) own.long.push(second);
      }
    // At the end: some open further connections for them, with other settings.
    for (let i = 0; i < crowds; i++)
      for (const way of ways)
        found
          .get(way)
          ?.crowd.push(await way.ask({ length: short, runs: together, together: true }, ofSteps[0]));
    tell('');
    return ways.map((way) =>
      timesOf(
        way,
        found.get(way) as Found,
        way.name.startsWith('floor') ? ofSteps : (commits.get(way) ?? []),
        runs,
        together,
      ),
    );
  } finally {
    for (const way of ways) way.stop();
  }
}

interface Found {
  short: Batch[];
  long: Batch[];
  crowd: Batch[];
}

/** Of a short and a long run. The first run of a process also makes tables, and in another the log may begin anew. */
async function commitsOf(way: Way): Promise<number[]> {
  await way.ask({ length: short, runs: 1 });
  const counted: number[] = [];
  for (const length of [short, long]) {
    const found: number[] = [];
    for (let i = 0; i < 3; i++) found.push((await way.ask({ length, runs: 1 })).commits);
    counted.push(Math.max(...found));
  }
  return counted;
}

function timesOf(
  { name, mode }: Way,
  found: Found,
  [few = 0, many = 0]: readonly number[],
  runs: number,
  together: number,
): FlowTimes {
  const middle = (batches: readonly Batch[], figure: keyof Times) =>
    median(batches.map((one) => one[figure] / runs));
  const ofRun = (figure: keyof Times) => rounded(middle(found.short, figure), 3);
  const ofStep = (figure: keyof Times) =>
    rounded((middle(found.long, figure) - middle(found.short, figure)) / (long - short), 3);
  return {
    name,
    mode,
    run: { wallMs: ofRun('wallMs'), cpuMs: ofRun('cpuMs') },
    step: { wallMs: ofStep('wallMs'), cpuMs: ofStep('cpuMs') },
    commits: { run: few, step: rounded((many - few) / (long - short), 1) },
    perSecond: rounded((together / median(found.crowd.map(({ wallMs }) => wallMs))) * 1_000, 0),
  };
}

async function startWay(subject: Subject, mode: string, cwd: string, folder: string): Promise<Way> {
  const { name, program } = subject;
  const task = JSON.stringify({ program, mode, folder, lengths: [short, long] });
  const child = fork(join(cwd, 'child.mjs'), [task], {
    cwd,
    execArgv: ['--no-warnings'],
    // Nothing is sent to anybody.
    env: { ...process.env, MASTRA_TELEMETRY_DISABLED: '1', LANGSMITH_TRACING: 'false' },
  });
  const said = async () => {
    const answered = new AbortController();
    const { signal } = answered;
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`${name}, ${mode} ended with ${code}`);
    });
    try {
      const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
      return message;
    } finally {
      ended.catch(() => {});
      answered.abort();
    }
  };
  await said();
  return {
    name,
    mode,
    async ask(asked, commits) {
      child.send({ ...asked, commits });
      return (await said()) as Batch;
    },
    stop: () => child.connected && child.disconnect(),
  };
}
