import type { EventBus } from '../../engine/bus.ts';
import { type ToolContext, ToolFailure } from '../../protocol/tool.ts';
import { CommandOutput } from './output.ts';
import type { CommandEnd, CommandJob, RunningCommand, Sandbox } from './sandbox.ts';

/** A background command, as its run sees it. */
export interface BackgroundJob {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly output: CommandOutput;
  readonly running: RunningCommand;
  /** Null while it runs. */
  end: CommandEnd | null;
}

type Owner = Pick<ToolContext, 'runId' | 'principal'>;

const maxRunning = 8;
/** Maximum finished commands whose output is kept. */
const maxKept = 50;

interface RunJobs {
  jobs: Map<string, BackgroundJob>;
  /** Also ends commands that are still starting. */
  over: AbortController;
  stopListening(): void;
}

/**
 * The background commands of this process. Each belongs to the run that started it: no other run sees it, and it ends
 * with the run, or with this process.
 */
export class BackgroundJobs {
  readonly #bus: EventBus;
  readonly #runs = new Map<string, RunJobs>();

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /** @throws ToolFailure `TOO_MANY_JOBS`; and as {@link Sandbox.start}. */
  async start(
    sandbox: Sandbox,
    ctx: Owner & Pick<ToolContext, 'callId' | 'signal'>,
    job: Omit<CommandJob, 'signal' | 'onOutput'>,
  ): Promise<BackgroundJob> {
    ctx.signal.throwIfAborted();
    // Listen before starting anything, so that the end of the run is not missed.
    const run = this.#runs.get(ownerKey(ctx)) ?? this.#watch(ctx);
    const atWork = [...run.jobs.values()].filter(({ end }) => end === null);
    if (atWork.length >= maxRunning)
      throw new ToolFailure(
        'TOO_MANY_JOBS',
        `${maxRunning} commands are in the background already (${atWork.map(({ id }) => id).join(', ')}); end one with shell_kill`,
      );
    const output = new CommandOutput();
    const started = performance.now();
    const running = await sandbox.start({
      ...job,
      signal: run.over.signal,
      onOutput: (stream, bytes) => output.write(stream, bytes),
    });
    const { command } = job;
    const background: BackgroundJob = {
      id: `job_${ctx.callId}`,
      command,
      startedAt: started,
      output,
      running,
      end: null,
    };
    run.jobs.set(background.id, background);
    forgetOldest(run.jobs);
    running.unref();
    void running.ended.then((end) => {
      output.end();
      background.end = end;
    });
    // The call was aborted meanwhile, so the model would never see the id.
    if (ctx.signal.aborted) running.kill();
    return background;
  }

  /** @throws ToolFailure `UNKNOWN_JOB` for a job of another run, too. */
  get(ctx: Owner, id: string): BackgroundJob {
    const jobs = this.#runs.get(ownerKey(ctx))?.jobs;
    const job = jobs?.get(id);
    if (job) return job;
    const known = jobs && jobs.size > 0 ? `there are ${[...jobs.keys()].join(', ')}` : 'there is none';
    throw new ToolFailure(
      'UNKNOWN_JOB',
      `this run has no background command ${JSON.stringify(id.slice(0, 80))} (${known}). One that an earlier process started ended with that process: start it again.`,
    );
  }

  /** Ends all commands and waits for them. */
  async close(): Promise<void> {
    const jobs = [...this.#runs.values()].flatMap((run) => [...run.jobs.values()]);
    for (const key of [...this.#runs.keys()]) this.#end(key);
    await Promise.all(jobs.map(({ running }) => running.ended));
  }

  #watch(ctx: Owner): RunJobs {
    const key = ownerKey(ctx);
    const stopListening = this.#bus.listen(ctx.runId, (signal) => {
      // Another process may own a stalled run, and that owner does not have its jobs.
      if ((signal.type === 'transition' && signal.ended === true) || signal.type === 'stalled')
        this.#end(key);
    });
    const run: RunJobs = { jobs: new Map(), over: new AbortController(), stopListening };
    this.#runs.set(key, run);
    return run;
  }

  #end(key: string): void {
    const run = this.#runs.get(key);
    this.#runs.delete(key);
    run?.stopListening();
    run?.over.abort();
  }
}

function ownerKey({ runId, principal }: Owner): string {
  return `${principal.tenantId}/${runId}`;
}

function forgetOldest(jobs: Map<string, BackgroundJob>): void {
  const finished = [...jobs.values()].filter(({ end }) => end !== null);
  for (const { id } of finished.slice(0, Math.max(0, jobs.size - maxKept))) jobs.delete(id);
}
