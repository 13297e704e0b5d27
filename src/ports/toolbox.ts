import type { ContentPart } from '../protocol/content-parts.ts';
import type { MethodOutput } from '../protocol/methods/methods.ts';
import type { QuestionView, TaintView } from '../protocol/run-view.ts';
import type { ToolSpec } from './chat-model.ts';
import type { Grant, GrantPattern } from './grant-pattern.ts';
import type { FollowedSkill } from './skill-source.ts';
import type { CallPreview, PreviewContext, SideEffect, ToolContext } from './tool.ts';

/**
 * Policy's decision on one call, made when the model's answer is committed:
 * `run` starts it, `ask` waits for a person, `refuse` answers the model with `code` and `text` at once.
 */
export type CallPlan =
  | { gate: 'run'; sideEffect: SideEffect; why: string; guarded?: true }
  | {
      gate: 'ask';
      sideEffect: SideEffect;
      why: string;
      /** The call writes guarded files, or may: it may do so once a person has approved it. */
      guarded?: true;
      preview?: CallPreview;
      question?: QuestionView;
      /** The caller of the run performs the call, and gives its result. */
      client?: true;
      /** A workflow asks: a person approves or rejects the call as it is. */
      asIs?: true;
    }
  | { gate: 'refuse'; code: string; text: string; why: string };

/** A settled call. The model reads `text`, which may be large because it is cut later. */
export interface ToolOutcome {
  isError: boolean;
  /** Null for success; else stable: `TIMEOUT`, `TOOL_FAILED`, a tool's own. */
  code: string | null;
  text: string;
  /** Images and documents for the model. */
  parts?: readonly ContentPart[];
}

/** What policy considers besides the tool and its arguments. */
export interface PlanContext {
  runId: string;
  sessionId: string;
  /** The tools that this run may use, patterns among them; null = the configured allow-list. Can only narrow. */
  allowed: readonly string[] | null;
  /** The run's option for confirmations: `ask` follows the tools, `all` approves, `none` refuses calls that would ask. */
  approve: 'ask' | 'all' | 'none';
  /** Whether the request of the run itself said so; an `all` of the configuration does not cover guarded files. */
  approveGiven: boolean;
  /** Absolute path of the tenant's folder; null when it has none. */
  workspace: string | null;
  /** The sources of untrusted text in the conversation; empty without any. */
  tainted?: readonly TaintView[];
  /** The grants of the session. */
  grants?: readonly Grant[];
  /** The skills that the run follows; `isTrusted` as it is now. */
  skills?: readonly FollowedSkill[];
  /** What previews may read; without it there is no preview. */
  preview?: Omit<PreviewContext, 'signal'>;
}

/** A tool as people see it. */
export type ToolView = MethodOutput<'tool.list'>['tools'][number];

/** Why a tool cannot be used: a stable code, and what to do. */
export interface Unavailable {
  code: string;
  reason: string;
}

/** The tools of one agent, behind one interface. */
export interface Toolbox {
  /** Refreshes the tools of MCP servers; bounded in time, never rejects. */
  ready(allowed: readonly string[] | null): Promise<void>;
  /** The model's tools, sorted by name, without those that a followed skill excludes. */
  specs(allowed: readonly string[] | null, skills?: readonly FollowedSkill[]): readonly ToolSpec[];
  /** Every registered tool, sorted by name, including those that no run may use. */
  views(): readonly ToolView[];
  /** Validates arguments and applies policy. Never throws for what a model wrote. */
  plan(name: string, rawArguments: string, ctx: PlanContext): Promise<CallPlan>;
  /** Whether the result of a call with these arguments is untrusted text. Never throws. */
  isUntrusted(name: string, rawArguments: string): boolean;
  /** The default pattern when a person approves a call "for this session". */
  grantPattern(name: string, rawArguments: string): GrantPattern;
  /** Runs one attempt. Never rejects: a throw, a timeout and an abort are outcomes. */
  run(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome>;
  /** Asks a `probe` tool what became of a call. `null` = it cannot say. */
  status(name: string, rawArguments: string, ctx: ToolContext): Promise<ToolOutcome | 'notRan' | null>;
}
