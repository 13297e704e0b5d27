import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Detent, RunRequest } from '../../src/index.ts';

/** What a process of the kept database has made: each run by a word for it, and what only the caller was told. */
export interface Made {
  labels: Record<string, string>;
  told: Record<string, string>;
}

/** A process that makes a part of the kept database. */
export class Life {
  readonly detent: Detent;
  readonly workspace: string;
  readonly made: Made = { labels: {}, told: {} };

  constructor(detent: Detent, workspace: string) {
    this.detent = detent;
    this.workspace = workspace;
  }

  /** Starts a run in a session of its own, and waits until its state has this word; null: until it rests or has ended. */
  async run(label: string, prompt: string, state: string | null, request: RunRequest = {}): Promise<string> {
    const run = this.detent.run(prompt, { sessionId: label.replaceAll(' ', '-'), ...request });
    const id = this.note(await run.started, label);
    if (state === null) await run.result;
    else await this.reached(id, state);
    return id;
  }

  async flow(
    id: string,
    input: { state: string },
    state: string | null,
    label = input.state,
  ): Promise<string> {
    const run = this.detent.workflows.start(id, input, { idempotencyKey: `${id} ${label}` });
    const runId = this.note(await run.started, `${id}: ${label}`);
    if (state === null) await run.result;
    else await this.reached(runId, state);
    return runId;
  }

  note(runId: string, label: string): string {
    this.made.labels[runId] = label;
    return runId;
  }

  reached(runId: string, state: string): Promise<void> {
    const { made } = this;
    return this.until(
      `${made.labels[runId]} is ${state}`,
      'select 1 from runs where id = ? and state like ?',
      runId,
      `%${state}%`,
    );
  }

  /** Waits until a statement finds something. */
  async until(what: string, statement: string, ...values: unknown[]): Promise<void> {
    const db = new Sqlite(databaseIn(this.workspace), { readonly: true });
    try {
      for (let i = 0; i < 500; i++) {
        if (db.prepare(statement).get(...values)) return;
        await pause(20);
      }
      throw new Error(`not reached: ${what}`);
    } finally {
      db.close();
    }
  }
}

export function databaseIn(workspace: string): string {
  return `${workspace}/.detent/detent.db`;
}
