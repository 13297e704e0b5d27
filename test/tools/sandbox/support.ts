import { onTestFinished } from 'vitest';
import { bubblewrap } from '../../../src/tools/sandbox/bubblewrap.ts';
import { defaultLimits } from '../../../src/tools/sandbox/command-limits.ts';
import { findBubblewrap } from '../../../src/tools/sandbox/find-sandbox.ts';
import { CommandOutput } from '../../../src/tools/sandbox/output.ts';
import type {
  CommandEnd,
  CommandJob,
  CommandLimits,
  RunningCommand,
  Sandbox,
} from '../../../src/tools/sandbox/sandbox.ts';
import { unavailableSandbox } from '../../../src/tools/sandbox/unavailable.ts';
import { describeWith } from '../../support/needs.ts';

const found = await findBubblewrap();

/** `describe` for what needs the real sandbox. */
export const describeSandboxed = describeWith(found.works, found.works ? '' : found.reason, true);

/** The real one. */
export const sandbox: Sandbox = sandboxWith({});

export function sandboxWith(limits: Partial<CommandLimits>): Sandbox {
  if (!found.works) return unavailableSandbox(found.reason);
  return bubblewrap(found.program, { ...defaultLimits, ...limits });
}

interface Ran extends CommandEnd {
  text: string;
}

type JobChanges = Partial<CommandJob> & { workspace: string };

interface Begun {
  running: RunningCommand;
  ran: Promise<Ran>;
  /** What it has printed so far. */
  printed(): string;
}

export async function begin(command: string, over: JobChanges, within: Sandbox = sandbox): Promise<Begun> {
  const output = new CommandOutput();
  let printed = '';
  const running = await within.start({
    command,
    hidden: [],
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput(stream, bytes) {
      output.write(stream, bytes);
      if (printed.length < 10_000) printed += bytes.toString();
    },
    ...over,
  });
  onTestFinished(async () => {
    running.kill();
    await running.ended;
  });
  const ran = running.ended.then((end) => {
    output.end();
    return { ...end, text: output.take() };
  });
  return { running, ran, printed: () => printed };
}

/** Runs a command to its end. */
export async function run(command: string, over: JobChanges, within: Sandbox = sandbox): Promise<Ran> {
  return (await begin(command, over, within)).ran;
}

let markers = 0;

/** A number that no other process has among its arguments, for `sleep`. */
export function marker(): string {
  markers += 1;
  return `9${process.pid}.${markers}${Math.floor(Math.random() * 1e9)}`;
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 600; i += 1) {
    if (isSo()) return;
    await pause(50);
  }
  throw new Error(`${what} never came to be`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
