import type { ContentPart } from '../protocol/parts.ts';
import type { QuestionView, TaintView } from '../protocol/run-view.ts';
import type { ToolSpec } from './chat-model.ts';
import type { Grant, GrantPattern } from './grant-pattern.ts';
import type { FollowedSkill } from './skill-source.ts';
import type { CallPreview, PreviewContext, SideEffect, ToolContext } from './tool.ts';

/**
 * What policy says of one call, decided when the model's answer is committed:
 * `run` starts it, `ask` waits for a person, `refuse` answers the model with `code` and `text` at once.
 */
export type CallPlan =
  | { gate: 'run'; sideEffect: SideEffect; why: string }
  | { gate: 'ask'; sideEffect: SideEffect; why: string; preview?: CallPreview; question?: QuestionView }
  | { gate: 'refuse'; code: string; text: string; why: string };

/** A settled call. `text` is what the model reads; it is capped later, so it may be large. */
export interface ToolOutcome {
  isError: boolean;
  /** Null for success; else stable: `TIMEOUT`, `TOOL_FAILED`, a tool's own. */
  code: string | null;
  text: string;
  /** Images and documents that the model is shown with it. */
  parts?: readonly ContentPart[];
}

/** What policy may know besides the tool and its arguments. */
export interface PlanContext {
  runId: string;
  sessionId: string;
  /** The tools that this run may use, patterns among them; null = the configured allow-list. Can only narrow. */
  allowed: readonly string[] | null;
  /** The run's own word on confirmations: `ask` follows the tools, `all` approves, `none` refuses what would ask. */
  approve: 'ask' | 'all' | 'none';
  /** Where the untrusted text of the conversation came from; none without it. */
  tainted?: readonly TaintView[];
  /** What people have allowed for the rest of the session. */
  grants?: readonly Grant[];
  /** The skills that the run follows; `isTrusted` as it is now. */
  skills?: readonly FollowedSkill[];
  /** What previews for the person who is asked may look at; without it none is made. */
  preview?: Omit<PreviewContext, 'signal'>;
}

/** A tool as people see it. */
export interface ToolView extends ToolSpec {
  /** Null where it depends on the arguments of the call. */
  sideEffect: SideEffect | null;
  /** Whether a person is asked before a call; null where it depends on the arguments. */
  asks: boolean | null;
  /** The rule that says so. */
  why: string;
  /** Why no run may use it; null when runs may. */
  disabled: string | null;
}

/** The tools of one agent, behind one door. */
export interface Toolbox {
  /** Brings tools that are found out by asking servers up to date; bounded in time, never rejects. */
  ready(allowed: readonly string[] | null): Promise<void>;
  /** What the model is shown, sorted by name: without what a skill that is followed leaves out. */
  specs(allowed: readonly string[] | null, skills?: readonly FollowedSkill[]): readonly ToolSpec[];
  /** Every registered tool, sorted by name: those that no run may use, too. */
  views(): readonly ToolView[];
  /** Validates arguments and applies policy. Never throws for what a model wrote. */
  plan(name: string, rawArguments: string, ctx: PlanContext): Promise<CallPlan>;
  /** Whether what a call with these arguments brings into the conversation is untrusted text. Never throws. */
  isUntrusted(name: string, rawArguments: string): boolean;
  /** The calls that are meant when one is approved "for this session" and nothing more is said. */
  grantPattern(name: string, rawArguments: string): GrantPattern;
  /** Runs one attempt. Never rejects: a throw, a time-out and an abort are outcomes. */
  run(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome>;
  /** Asks a `probe` tool what became of a call. `null` = it cannot say. */
  status(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome | 'notRan' | null>;
}
