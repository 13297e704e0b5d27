import type { CallServices } from '../call/call-job.ts';
import type { Clock } from '../engine/clock.ts';
import type { ModelDirectory, ToolSpec } from '../ports/chat-model.ts';
import type { DayLog, MemoryFolder, MemorySource } from '../ports/memory-source.ts';
import type { OutputChecker } from '../ports/output-schema.ts';
import type { SkillSource } from '../ports/skill-source.ts';
import type { StreamRedactor } from '../ports/stream-redactor.ts';
import type { TaintedFiles } from '../ports/tainted-files.ts';
import type { TokenWeights } from '../ports/tokens.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { Store } from './statements.ts';

/** The parts that the composition root passes to the effects of runs. */
export interface AgentParts extends CallServices {
  store: Store;
  memoryFolder: MemoryFolder;
  models: ModelDirectory;
  /** The toolbox of a run whose caller performs some tools. */
  withClientTools(toolbox: Toolbox, specs: readonly ToolSpec[]): Toolbox;
  outputs: OutputChecker;
  /** Left out where there are none. */
  skills?: SkillSource;
  dayLog: DayLog;
  /** The memory that runs recall; undefined when recall is off. */
  memory?: Pick<MemorySource, 'recall'> & { listUntrusted: TaintedFiles['listIn'] };
  /** Lifetime of cached answers in milliseconds. Without it there is no answer cache. */
  cache?: { ttlMs: number };
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
