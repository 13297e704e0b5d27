import type { EventBus } from '../engine/bus.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Followed } from '../engine/follow.ts';
import type { MachineHosts } from '../engine/machine-hosts.ts';
import type { Memories } from '../memory/memories.ts';
import type { ModelDirectory } from '../ports/chat-model.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { RunBudget } from '../records/run-options.ts';
import type { History } from '../runs/history/history.ts';
import type { Runs } from '../runs/runs.ts';
import type { Sessions } from '../runs/sessions/sessions.ts';
import type { SkillLibrary } from '../skills/library.ts';
import type { Store } from '../store/store.ts';
import type { McpServerView } from '../tools/mcp/source.ts';

/** Everything behind a Detent, wired. */
export interface Core {
  store: Store;
  clock: Clock;
  bus: EventBus;
  engine: Engine;
  hosts: MachineHosts;
  runs: Runs;
  /** Loaded on first use: a run needs nothing of it. */
  history(): Promise<History>;
  sessions: Sessions;
  toolbox: Toolbox;
  skills: SkillLibrary;
  memory: Memories;
  /** Every configured server of tools, after it was asked for them. */
  toolServers(): Promise<readonly McpServerView[]>;
  models: ModelDirectory;
  workspace: string;
  /** Puts the configured limits of a shared budget into force. */
  declareBudget(tenant: number, budget: RunBudget): Promise<void>;
  /** From now on the values of these variables are taken out of text, too. */
  addSecrets(variables: readonly string[]): void;
  /** Takes known secrets out of text. */
  redact(text: string): string;
  /** Listens to a run from the moment of the call. */
  follow(tenant: number, runId: string): Followed;
  close(): Promise<void>;
}
