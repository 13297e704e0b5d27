/**
 * The work that every subject does: a prompt, `rounds` calls of one tool, an answer.
 *
 * @module
 */

export interface Work {
  /** Base URL of the mock server. */
  url: string;
  rounds: number;
  /** Where databases may be made. */
  folder: string;
}

/** A subject that can do the work repeatedly. */
export interface Subject {
  /** Does it once; answers with the final text. */
  run(): Promise<string>;
  close(): Promise<void>;
}

export const system = 'You are a bench agent.';
export const prompt = 'go';

/** The one tool. Counts its executions, because a run counts only if it did all of them. */
export class Lookup {
  readonly name = 'lookup';
  readonly description = 'Look a step up';
  executions = 0;

  run(step: number): string {
    this.executions++;
    return `result ${step}`;
  }
}

/** @throws Error when a run did not do the work. */
export function checkText(text: string): void {
  if (!text.endsWith('all steps done.')) throw new Error(`wrong final text: ${JSON.stringify(text)}`);
}

/** @throws Error when tools ran too seldom or too often. */
export function checkExecutions({ executions }: Lookup, runs: number, { rounds }: Work): void {
  const expected = runs * rounds;
  if (executions !== expected) throw new Error(`${executions} tool executions instead of ${expected}`);
}
