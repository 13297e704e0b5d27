import { takeoverMachine, takeoverMachineVersion } from '../../../machines/takeover.machine.ts';
import { writeMessage } from '../../call/messages.ts';
import { create } from '../../engine/commit.ts';
import { type CommitScope, type MachineHost, type MachineHosts, PureMachine } from '../../engine/machine.ts';
import type { Program } from '../../store/program.ts';
import { noDriver } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import type { StaffBody } from '../../store/stored-message.ts';
import { agentMachine, takeoverMachineId, takeoverOptionsOf } from '../../store/stored-run.ts';
import { shortHash } from '../../text/ids.ts';
import { ask } from '../rows/statements.ts';

const nothing = () => ({ type: 'none' });

/** The host of takeovers: they perform nothing, and wait for people and a timer alone. @param hosts of the runs that follow them */
export function createTakeoverHost(hosts: Pick<MachineHosts, 'newest'>): MachineHost {
  return {
    id: takeoverMachineId,
    version: takeoverMachineVersion,
    machine: new PureMachine(takeoverMachine),
    awaited: () => [],
    commands: new Set(['run.cancel', 'run.message', 'takeover.take', 'takeover.giveBack', 'staff.say']),
    startEvent: 'run.start',
    heldEffect: 'none',
    resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
    poisoned: nothing,
    faulted: (code, message) => ({ type: 'run.faulted', code, message }),
    possibleCommands: () => [{ type: 'run.message' }],
    newCache: () => null,
    effects: {},
    rows: {
      'staff.write': (params, scope) => writeMessage(scope, 'staff', params as unknown as StaffBody),
      'run.begin': (_, scope) => beginAnswer(hosts.newest(agentMachine), scope),
    },
    *aborting() {},
    isParked: () => true,
  };
}

/** The id of the run that answers after a takeover, the same whoever gives back. */
export function answerRunId(takeover: string): string {
  return `run_${shortHash(takeover)}${shortHash(`answer ${takeover}`).slice(-5)}`;
}

/** Makes the run that answers the last words of the user. It has no message of its own: they are in the conversation. */
function* beginAnswer(host: MachineHost, { row, at, redact }: CommitScope): Program<void> {
  const { tenant, id, sessionKey } = row;
  // The row in memory may be older than the last request of the user, and than a claim of the guest's session.
  const now = yield* ask('loadRun', { tenant, id });
  const { next, principal } = takeoverOptionsOf(now ?? row);
  if (!next) return;
  const { user } = now ?? row;
  const options: RunOptions = { ...next.options, principal };
  const driver = row.driver === noDriver ? null : row.driver;
  yield* create(
    {
      tenant,
      id: answerRunId(id),
      sessionKey,
      user,
      input: { limits: next.limits },
      options,
      *writes() {},
      isQueued: true,
      at,
      driver,
    },
    { host, driven: driver !== null, redact },
  );
}
