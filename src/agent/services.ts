import type { EventBus } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { ModelDirectory } from '../ports/chat-model.ts';
import type { HookSet } from '../ports/hooks.ts';
import type { DayLog, MemorySource } from '../ports/memory-source.ts';
import type { SkillSource } from '../ports/skill-source.ts';
import type { StreamRedactor } from '../ports/stream-redactor.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { Store } from './statements.ts';

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
