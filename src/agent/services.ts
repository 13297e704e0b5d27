import type { EventBus } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { Store } from '../engine/store.ts';
import type { ModelDirectory } from './chat-model.ts';
import type { HookSet } from './hooks/run-hooks.ts';
import type { MemorySource } from './memory-source.ts';
import type { SkillSource } from './skill/skill-source.ts';
import type { StreamRedactor } from './stream-redactor.ts';
import type { Toolbox } from './toolbox.ts';

/** Where the gist of a conversation goes before it is compacted. */
export interface DayLog {
  /**
   * Appends lines to the file of the day. Under a key that was written before it changes nothing.
   *
   * @param at milliseconds since the epoch; the day is the local one.
   * @param tenant whose memory; without it that of the workspace.
   */
  append(
    workspace: string,
    at: number,
    key: string,
    lines: readonly (string | MemoryLine)[],
    tenant?: number,
  ): Promise<void>;
}

/** A line for the memory. */
export interface MemoryLine {
  text: string;
  /** A model wrote it that had untrusted text before it: it may be what that text wanted to be remembered. */
  isUntrusted: boolean;
}

/** All that the effects of a run need; made once, by the composition root. */
export interface AgentServices {
  store: Store;
  bus: EventBus;
  models: ModelDirectory;
  toolbox: Toolbox;
  /** Left out where there are none. */
  skills?: SkillSource;
  dayLog: DayLog;
  /** What runs are reminded of; left out where they are not. */
  memory?: Pick<MemorySource, 'recall'>;
  /** How long answers are kept for the same question, in milliseconds. Without it none is. */
  cache?: { ttlMs: number };
  /** Functions of the host at fixed points of a run; left out where there are none. */
  hooks?: HookSet;
  clock: Clock;
  /** Uniform in [0, 1). */
  random(): number;
  newId(): string;
  /** Takes known secrets out of text. */
  redact(text: string): string;
  /** The same for text that comes in pieces. */
  redactStream(): StreamRedactor;
}
