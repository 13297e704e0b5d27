import type { PendingCall } from '../../machines/run.types.ts';
import type { EventBus } from '../engine/bus.ts';
import type { EffectJob } from '../engine/machine-host.ts';
import type { HookRecord, HookSet } from '../ports/hooks.ts';
import type { ToolContext } from '../ports/tool.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { RunOptions } from '../records/run-options.ts';
import type { Store } from './statements.ts';

/** The part of a run that calls need, whatever its machine. */
interface CallingRun {
  context: { pending: readonly PendingCall[] };
  options: Pick<RunOptions, 'agent' | 'principal' | 'tools' | 'approve' | 'approveGiven' | 'call'>;
  cache: unknown;
}

/** One attempt at one call. */
export interface CallJob extends EffectJob<CallingRun> {
  /** `hooks`: what hooks did, so that a replay need not call them. */
  notes: { hooks: HookRecord[] };
}

/** The services with which calls are decided on and performed. */
export interface CallServices {
  store: Store;
  /** The folder that runs work in, wherever they were started; absolute. Null for tenants without one. */
  workspace: string | null;
  bus: EventBus;
  toolbox: Toolbox;
  /** Sub-runs, for calls of the tool that hands tasks on. Left out where nothing can start a run. */
  tasks?: { readonly perform: NonNullable<ToolContext['task']> };
  /** Functions of the host at fixed points of a run; left out where there are none. */
  hooks?: HookSet;
  newId(): string;
  /** Takes known secrets out of text. */
  redact(text: string): string;
}
