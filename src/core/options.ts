import type { CallHostParts } from '../call/call-host.ts';
import type { Clock } from '../engine/clock.ts';
import type { Followed } from '../engine/engine.ts';
import type { MachineHosts } from '../engine/machine.ts';
import type { AgentConfig } from '../protocol/config.ts';
import { DetentError } from '../protocol/error.ts';
import { refuseUnknownFields } from '../protocol/json.ts';
import type { ChatModel, HookPoint, Hooks, Toolbox, ToolSpec } from '../protocol/ports.ts';
import type { RunDelta, RunEvent } from '../protocol/run-events.ts';
import type { ClientTool, Tool } from '../protocol/tool.ts';
import type { NewRating } from '../runs/sessions.ts';
import type { SubRuns } from '../runs/sub-runs.ts';
import type { DetentWorkflows, RunHandles } from '../runtime/api.ts';
import type { DetentOptions, FlowParts, RunRequest, ServiceStarter } from '../runtime/config.ts';
import type { SubRunPlanner } from '../runtime/requests.ts';
import type { TextSkill } from '../skills/skills.ts';
import type { SqlDriver } from '../store/driver.ts';
import type { Store } from '../store/store.ts';

type Shared =
  | 'model'
  | 'fallbacks'
  | 'system'
  | 'tools'
  | 'limits'
  | 'budgets'
  | 'context'
  | 'actor'
  | 'hookTimeoutMs';

/** The points of a run at which a core calls hooks. */
const hookPoints = [
  'runStart',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
  'beforeCompact',
] as const satisfies readonly HookPoint[];

/** What the core needs of the app that it runs in. */
export interface Host {
  /** The app's SQLite, opened. Only the core may use this database. Its content survives the app. */
  storage: SqlDriver;
  /**
   * Fills an array with random bytes, for ids. Default: `crypto.getRandomValues`, which React Native has with the package
   * `react-native-get-random-values`.
   */
  random?(bytes: Uint8Array): void;
  /** Time, and timers that wake runs. Default: `Date.now`, `performance.now` and `setTimeout` of the host. */
  clock?: Clock;
  /** Receives failures that reach no caller. Default: `console.error`. */
  report?(error: unknown, runId: string): void;
}

/** The conversations of an app. */
export interface CoreSessions {
  /** The events of a run after the transition `afterSeq` (default: all), then live ones. Ends with the run. */
  subscribe(runId: string, options?: { afterSeq?: number }): AsyncIterable<RunEvent | RunDelta>;
  /** The runs of a conversation, newest first. None if there is no such conversation. */
  runs(sessionId: string, options?: { limit?: number }): Promise<{ runId: string }[]>;
  /** Makes later answers forget what was said. @throws DetentError `NOT_FOUND`, `SESSION_BUSY`. */
  clear(sessionId: string): Promise<{ cleared: number }>;
  /** Stores how the user rates an answer. @throws DetentError `NOT_FOUND`, `INVALID_ARGUMENTS`. */
  rate(sessionId: string, rating: Pick<NewRating, 'runId' | 'thumb' | 'reason'>): Promise<unknown>;
}

/** What `detent/core/conversations` adds to a core. */
export interface Conversations {
  /** @throws DetentError `INVALID_CLIENT_TOOL`. */
  specsOf(tools: readonly ClientTool[], toolbox: Toolbox): ToolSpec[];
  withClientTools(toolbox: Toolbox, specs: readonly ToolSpec[]): Toolbox;
  open(
    opened: () => Promise<{ store: Store; clock: Pick<Clock, 'now'>; follow: Follow }>,
    stoppable: RunHandles['stoppable'],
  ): CoreSessions;
}

/** What `detent/core/workflows` adds to a core. */
export interface CoreWorkflows {
  open(core: OfWorkflows): DetentWorkflows;
}

/** What a core gives to its workflows. */
interface OfWorkflows extends Pick<ServiceStarter, 'run'> {
  options: CoreOptions;
  parts: Pick<FlowParts, 'store' | 'engine' | 'runs' | 'declareBudget'> & { hosts: MachineHosts };
  /** What calls need that a workflow makes by itself. */
  calls: CallHostParts;
  handles: RunHandles;
  /** @throws DetentError `CLOSED`. */
  opened(): Promise<unknown>;
}

/** What `detent/core/sub-runs` adds to a core. */
export interface CoreSubRuns {
  /** @param agents names of those that can take a task */
  tool(agents: readonly string[]): Tool;
  open(core: OfSubRuns): SubRuns;
}

/** What a core gives to its sub-runs. */
type OfSubRuns = SubRunPlanner &
  Pick<ConstructorParameters<typeof SubRuns>[0], 'store' | 'engine' | 'bus' | 'clock' | 'runs'>;

type Follow = (tenant: number, runId: string) => Followed;

/** The options of a core: those of `createDetent` where they have the same name. */
export interface CoreOptions extends Pick<DetentOptions, Shared> {
  host: Host;
  /** By the name of a provider: `provider/model` names a model. A model on the device is a function that streams. */
  models: Readonly<Record<string, ChatModel>>;
  /** As of `createDetent`; their `tools` name tools of `tools.define`. */
  agents?: Record<string, AgentConfig>;
  /** Instructions for kinds of tasks, as text. */
  skills?: readonly TextSkill[];
  /** `conversations` of `detent/core/conversations`, for an app that shows them. */
  conversations?: Conversations;
  /** `subRuns` of `detent/core/sub-runs`: then agents have the tool `task`. */
  subRuns?: CoreSubRuns;
  /** `workflows([…])` of `detent/core/workflows`: statecharts of your own. */
  workflows?: CoreWorkflows;
  /** Functions that Detent calls at fixed points of every run: see docs/hooks.md. */
  hooks?: Pick<Hooks, (typeof hookPoints)[number]>;
  /** Which calls a person approves, and whether Detent asks about calls after untrusted text. */
  policy?: Pick<NonNullable<DetentOptions['policy']>, 'approve' | 'confirm' | 'taint'>;
}

type Asked =
  | 'sessionId'
  | 'idempotencyKey'
  | 'mode'
  | 'agent'
  | 'model'
  | 'system'
  | 'tools'
  | 'skills'
  | 'approve'
  | 'output'
  | 'limits'
  | 'budget'
  | 'stream'
  | 'clientTools'
  | 'metadata';

/** The options of one run. */
export interface CoreRequest extends Pick<RunRequest, Asked> {
  /** The user of the run; tools receive it. */
  principal?: Omit<NonNullable<RunRequest['principal']>, 'tenantId'>;
}

const optionFields: Record<keyof CoreOptions, true> = {
  host: true,
  models: true,
  model: true,
  fallbacks: true,
  system: true,
  tools: true,
  agents: true,
  skills: true,
  policy: true,
  limits: true,
  budgets: true,
  context: true,
  actor: true,
  conversations: true,
  hooks: true,
  workflows: true,
  subRuns: true,
  hookTimeoutMs: true,
};

const requestFields: Record<keyof CoreRequest, true> = {
  sessionId: true,
  idempotencyKey: true,
  mode: true,
  agent: true,
  model: true,
  system: true,
  tools: true,
  skills: true,
  approve: true,
  output: true,
  limits: true,
  budget: true,
  stream: true,
  clientTools: true,
  metadata: true,
  principal: true,
};

/** @throws DetentError `INVALID_CONFIG` for an option that the core does not have, which may have been a restriction. */
export function checkCoreOptions(options: CoreOptions): void {
  refuseUnknownFields(options, Object.keys(optionFields), 'createCore', 'INVALID_CONFIG');
  refuseUnknownFields(options.hooks ?? {}, hookPoints, 'hooks of a core', 'INVALID_CONFIG');
  if (options.workflows && typeof options.workflows.open !== 'function')
    throw new DetentError(
      'INVALID_CONFIG',
      'workflows of a core are what workflows([…]) of detent/core/workflows makes',
    );
  const { storage } = options.host ?? {};
  if (typeof storage?.prepare !== 'function' || typeof storage.exec !== 'function')
    throw new DetentError(
      'INVALID_CONFIG',
      'createCore needs host.storage, a database with prepare, exec and close: see docs/core.md',
    );
}

/** @throws DetentError `INVALID_REQUEST` for a field that the core does not have. */
export function checkCoreRequest(request: CoreRequest): void {
  refuseUnknownFields(request, Object.keys(requestFields), 'a run', 'INVALID_REQUEST');
  refuseUnknownFields(request.principal ?? {}, ['userId', 'claims'], 'a principal', 'INVALID_REQUEST');
}
