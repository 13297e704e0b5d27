import { type CallServices, withChartQuestion } from '../call/call-host.ts';
import type { Clock } from '../engine/clock.ts';
import { defaultTenant } from '../protocol/access.ts';
import {
  type DayLog,
  type MemoryFolder,
  type MemorySource,
  type ModelDirectory,
  type OutputChecker,
  type SkillSource,
  type TaintedFiles,
  TokenWeights,
  type Toolbox,
  type ToolSpec,
} from '../protocol/ports.ts';
import type { StreamRedactor } from '../text/wording.ts';
import type { AnswerCache } from './effect/answer-cache.ts';
import type { RunJob } from './effect/run-effect.ts';
import type { Store } from './effect/statements.ts';
import { PartialAnswers } from './messages/partial-answers.ts';

/** The parts that the composition root passes to the effects of runs. */
export interface AgentParts extends CallServices {
  store: Store;
  memoryFolder: MemoryFolder;
  models: ModelDirectory;
  /** The toolbox of a run whose caller performs some tools. Left out where no caller can. */
  withClientTools?(toolbox: Toolbox, specs: readonly ToolSpec[]): Toolbox;
  outputs: OutputChecker;
  /** Left out where there are none. */
  skills?: SkillSource;
  /** Left out where there is no memory: then nothing is kept before a compaction. */
  dayLog?: DayLog;
  /** The memory that runs recall; undefined when recall is off. */
  memory?: Pick<MemorySource, 'recall'> & { listUntrusted: TaintedFiles['listIn'] };
  /** Left out where no answers are kept. */
  cache?: Pick<AnswerCache, 'lookUp'>;
  /**
   * The parts of a tenant's runs that replace these, for every tenant but the first.
   *
   * @throws DetentError when the tenant cannot work in this process.
   */
  partsOf(tenant: number): Promise<TenantParts>;
  clock: Clock;
  /** Uniform in [0, 1). */
  random(): number;
  /** As `redact`, for text that comes in pieces. */
  redactStream(): StreamRedactor;
}

/** The parts that differ between tenants. */
export type TenantParts = Pick<AgentParts, 'workspace' | 'memoryFolder' | 'toolbox' | 'skills'>;

/** Everything that the effects of a run need: those parts, and the caches for all runs of one host. */
export interface AgentServices extends AgentParts {
  /**
   * The calibration of models, by `provider/model`, for prompts whose own rows have none: a new session, or one
   * whose answers were all compacted away. Lost with the process, at the price of one refused prompt.
   */
  calibrations: Map<string, Partial<Calibration>>;
  weights: TokenWeights;
  partials: PartialAnswers;
}

/** The services of a host, which knows nothing yet. */
export function newServices(parts: AgentParts): AgentServices {
  return { ...parts, calibrations: new Map(), weights: new TokenWeights(), partials: new PartialAnswers() };
}

/** The services with the tools of the run's caller, or with the question that an earlier version asked for a chart. */
export async function servicesFor(
  services: AgentServices,
  { run, options }: Pick<RunJob, 'run' | 'options'>,
): Promise<AgentServices> {
  const own = await servicesOf(services, run);
  const { clientTools, ask: asked } = options;
  if (asked) return { ...own, toolbox: withChartQuestion(own.toolbox, asked) };
  if (!clientTools || !own.withClientTools) return own;
  return { ...own, toolbox: own.withClientTools(own.toolbox, clientTools) };
}

/** The services with the workspace and the tools of the run's tenant. */
async function servicesOf(services: AgentServices, { tenant }: RunJob['run']): Promise<AgentServices> {
  if (tenant === defaultTenant) return services;
  const { workspace, memoryFolder, toolbox, skills } = await services.partsOf(tenant);
  const { skills: _, ...shared } = services;
  return { ...shared, workspace, memoryFolder, toolbox, ...(skills && { skills }) };
}

/** The calibration of one model. */
export interface Calibration {
  /** Tokens that its provider counts for each estimated token. */
  ratio: number;
  /** The window that the provider named when it refused a prompt. */
  window: number | null;
  /** Maximum of estimated tokens in a prompt, after the provider refused one that should have fitted. */
  room: number | null;
}
