import type { Decider, QuestionKind } from '../enums.ts';

/**
 * What the host is told of a run, so that it can call a person back: it says who and where, and none of what was said, unless the
 * configuration wants the words.
 */
export interface Notice {
  /** The same for each attempt: who gets it twice knows it by this. */
  readonly id: string;
  /**
   * `run.waiting`: for a person. `run.client_call`: for a tool of the app. `run.ended`: while no connection watched it. `session.said`: a
   * person of the staff spoke.
   */
  readonly type: NoticeType;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tenantId: number;
  readonly userId: string | null;
  readonly sessionId: string;
  readonly runId: string;
  /** The named agent; left out for the default one. */
  readonly agent?: string;
  readonly workflow?: string;
  /** Of what waits: the call, the kind of its question, the name of its tool, and who decides. */
  readonly callId?: string;
  readonly kind?: QuestionKind;
  readonly tool?: string;
  readonly decides?: Decider;
  /** Of what ended: `completed`, `failed`, … */
  readonly outcome?: string;
  /** Only if the configuration wants the words: what is asked, or what the run answered. */
  readonly text?: string;
}

export const noticeTypes = ['run.waiting', 'run.client_call', 'run.ended', 'session.said'] as const;
export type NoticeType = (typeof noticeTypes)[number];

/** Tells the host. What it throws is tried again; `signal` aborts when the time is over. */
export type NoticeFunction = (notice: Notice, signal: AbortSignal) => unknown;

/** From the most to the least important. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The part of pino's shape that is used: https://getpino.io/#/docs/api?id=logger-instance */
export interface Logger {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  /** Without it every level counts as enabled. */
  isLevelEnabled?(level: LogLevel): boolean;
}
