import { describe, it, onTestFinished } from 'vitest';
import { createDetent, type Detent, type DetentOptions, type RunView } from '../../src/index.ts';
import { type ScriptedAnswer, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool } from '../support/detent.ts';

/** A situation; what it promises stands in the clauses within. */
export function given(situation: string, clauses: () => void): void {
  describe(`given ${situation}`, clauses);
}

/** One promise: what happens, and what Detent does then. */
export function when(happening: string, promise: string, holds: () => Promise<void>): void {
  it(`when ${happening}, then ${promise}`, holds);
}

/** An answer of a model that calls tools: by name, or by name and arguments. */
export const calls = (...wanted: (string | [name: string, args: object])[]): ScriptedAnswer => ({
  toolCalls: wanted.map((call) =>
    typeof call === 'string' ? { name: call } : { name: call[0], arguments: call[1] },
  ),
});

/** `pay` is unsafe, so it asks a person; `paid` has what it was called with. */
export function payment() {
  const paid: unknown[] = [];
  const pay = tool('pay', {
    sideEffect: 'unsafe',
    run: (args) => {
      paid.push(args);
      return 'paid';
    },
  });
  return { pay, paid };
}

/**
 * A Detent whose run waits for a person about `pay {"usd":9}`, and then goes on with the script.
 * The call is `c2`, the second effect of its run: the first one asked the model.
 */
export async function waitingToPay(
  rest: readonly ScriptLine[] = [{ text: 'done' }],
  options: DetentOptions = {},
) {
  const { pay, paid } = payment();
  const made = await scripted([calls(['pay', { usd: 9 }]), ...rest], {
    ...options,
    tools: { define: [pay, ...(options.tools?.define ?? [])] },
  });
  const run = made.detent.run('pay the bill', { sessionId: 's' });
  const [question] = (await run.result).pending;
  if (!question) throw new Error('nothing is asked');
  return { ...made, run, question, paid };
}

/** A Detent whose first run of the session `s` is at work: its model answers when the gate opens. */
export async function atWork(
  rest: readonly ScriptLine[],
  first: ScriptedAnswer = { text: 'one' },
  options: DetentOptions = {},
) {
  const { pass, reached, open } = gate();
  const made = await scripted([(_, { signal }) => pass(signal).then(() => first), ...rest], options);
  const run = made.detent.run('first', { sessionId: 's' });
  await reached;
  return { ...made, run, open };
}

/** Detents on one database file, as processes that follow each other; each is closed after the test at the latest. */
export async function processes(options: DetentOptions = {}) {
  const workspace = options.workspace ?? (await temporaryWorkspace());
  return (script: readonly ScriptLine[], over: DetentOptions = {}): Detent => {
    const model = scriptedModel(script);
    const detent = createDetent({
      workspace,
      env: {},
      model: 'test/script',
      models: { test: model },
      ...options,
      ...over,
    });
    onTestFinished(() => detent.close());
    return detent;
  };
}

/** Resumes a run, and resolves when it has ended or waits for a person. */
export async function resumed(detent: Detent, runId: string): Promise<RunView> {
  await detent.runs.resume({ runId });
  return detent.runs.attach(runId).result;
}

/** The words of the conversation that a model was asked with, without the instructions. */
export const saidTo = (request: { messages: readonly { role: string; text: string }[] } | undefined) =>
  (request?.messages ?? []).flatMap(({ role, text }) => (role === 'system' ? [] : [text]));

/** Status and code of each call of a step. */
export const callsOf = (view: RunView, step = 0) =>
  (view.steps[step]?.toolCalls ?? []).map(({ status, code }) => [status, code]);
