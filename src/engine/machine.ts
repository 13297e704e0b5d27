/** Machines as the engine drives them: a host each, pure steps, logged transitions, migration. */
export {
  type Action,
  allowedCommands,
  begin,
  edgeIdOf,
  leavesOf,
  pathOf,
  restore,
  stateIdOf,
} from './machine/decide.ts';
export { foldActions } from './machine/fold-actions.ts';
export {
  type LoggedTransition,
  loggedMessage,
  packed,
  readTransitions,
  senderOf,
  transitionOf,
  unpacked,
  unsigned,
} from './machine/logged-transition.ts';
export type {
  CommitScope,
  EffectHandler,
  EffectJob,
  EngineEvent,
  Fact,
  HostCache,
  MachineHost,
  Migration,
  TimersOf,
  WatcherSignal,
} from './machine/machine-host.ts';
export { createMachineHosts, isChartChanged, type MachineHosts, stepsFrom } from './machine/machine-hosts.ts';
export type { Committed } from './machine/migrate.ts';
export { type MigratedBody, migrated, migratedEvent } from './machine/migrate.ts';
export {
  type DrivenMachine,
  type MachineWatch,
  PureMachine,
  type Transitioned,
} from './machine/pure-machine.ts';
