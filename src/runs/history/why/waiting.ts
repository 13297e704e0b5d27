import { callName } from '../../../records/call-id.ts';
import type { ConfirmationRow, DriverError, EffectRow } from '../../../store/rows.ts';
import { brief } from './chain.ts';
import { callOf, type Driver, type Evidence } from './evidence.ts';
import { type Advice, advice, duration, type Finding, moment } from './finding.ts';
import { where } from './limits.ts';

/** Why a run has not started: what is in front of it, and what that waits for. */
export function queued(evidence: Evidence, front: { status: string; finding: Finding } | null): Finding {
  const { row, blocker, now } = evidence;
  if (!blocker)
    return {
      cause: 'not_driven',
      summary: 'nothing is in front of this run, but no process has started it yet',
      details: [`it was made ${duration(now - row.createdAt)} ago, at ${moment(row.createdAt)}`],
      next: [advice('start it', `detent runs resume ${row.id}`)],
    };
  return {
    cause: 'queued',
    summary: `the runs of a session go one after the other, and run ${blocker.id} of session "${row.sessionKey}" is in front: it is ${front?.status ?? 'unfinished'}${front ? `, because ${front.finding.summary}` : ''}`,
    details: [...(front?.finding.details ?? []), ...expiry(evidence, 'queue', 'the queued run fails')],
    next: [
      ...(front?.finding.next ?? []),
      advice('or end the run in front', `detent runs cancel ${blocker.id}`),
    ],
  };
}

interface Question {
  name: string;
  arguments: string;
  why: string;
}

/** Which decisions a run waits for. */
export function awaitingConfirm(evidence: Evidence): Finding {
  const { row } = evidence;
  const open = evidence.confirmations.filter(({ status }) => status === 'open');
  const asked = open.map((question) => `${callName(question.call)} ${described(question)}`);
  return {
    cause: 'waiting_for_confirmation',
    summary: `a person must ${open.every(({ kind }) => kind === 'question') ? 'answer' : 'decide on'} ${open.length === 1 ? 'a tool call' : `${open.length} tool calls`}: ${asked.join('; ')}`,
    details: [
      ...open.map((question) => {
        const { why } = JSON.parse(question.body) as Question;
        return `${callName(question.call)} is asked because ${why}; it has waited ${duration(evidence.now - question.askedAt)}, since ${moment(question.askedAt)}`;
      }),
      ...expiry(evidence, 'confirm', 'what is undecided counts as rejected'),
    ],
    next: [
      ...open.map(({ call, kind }): Advice => {
        const confirm = `detent runs confirm ${row.id} ${callName(call)}`;
        if (kind === 'question')
          return advice(`answer ${callName(call)} (or --reject)`, `${confirm} --answer TEXT`);
        return advice(
          `decide on ${callName(call)} (or with --reject, or --modify JSON)`,
          `${confirm} --approve`,
        );
      }),
      advice('then carry the run on', `detent runs resume ${row.id}`),
    ],
  };
}

/** A run that is at one of its tasks is as the run of that task is. */
export function waitsForTask({ row, status }: Evidence, child: Evidence, below: Finding): Finding {
  const carryOn = advice('then carry the whole run on', `detent runs resume ${row.id}`);
  const own = new Set([`detent runs resume ${child.row.id}`]);
  return {
    cause: below.cause,
    summary: `it waits for its task, run ${child.row.id}, which is ${child.status}: ${below.summary}`,
    details: below.details,
    next: [
      // The run of a task is carried on by whoever carries on the run that waits for it.
      ...below.next.filter(({ command }) => command === null || !own.has(command)),
      ...(status === 'interrupted' || child.status === 'waiting' ? [carryOn] : []),
    ],
  };
}

/** Which call's fate nobody knows, and which process took that knowledge with it. */
export function reconciling(evidence: Evidence): Finding {
  const { row, confirmations, effects } = evidence;
  const open = confirmations.filter(({ status }) => status === 'open');
  const [question] = open;
  const effect = question && effects.get(question.call);
  const call = question ? `${callName(question.call)} ${described(question)}` : 'a tool call';
  const word = question ? `detent runs reconcile ${row.id} ${callName(question.call)}` : '';
  return {
    cause: 'crash_in_unsafe_call',
    summary: `${died(evidence, effect)} while ${call} was running, and nobody knows whether the call took effect`,
    details: [
      'the tool is declared unsafe to repeat, so it is not run again without a person',
      ...(effect ? [`it had been started ${effect.attempt === 1 ? 'once' : `${effect.attempt} times`}`] : []),
      ...expiry(evidence, 'reconcile', 'the model is told that the outcome is unknown'),
    ],
    next: [
      advice(
        'look into the system that the tool changes, then say what became of the call: it ran',
        `${word} --ran`,
      ),
      advice('or it did not run, and must be run again', `${word} --retry`),
      advice('or go on without it', `${word} --skip`),
      advice('then carry the run on', `detent runs resume ${row.id}`),
    ],
  };
}

/** A run with work to do that no living process does. */
export function interrupted(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const open = openEffects(evidence);
  const last = transitions.at(-1);
  const isFresh = row.fence === 0;
  const doing = open.map((effect) => effectWords(evidence, effect));
  return {
    cause: isFresh ? 'not_resumed' : 'process_died',
    summary: isFresh
      ? `this run is a fork that nobody has resumed; it stands where the original was ${where(last?.to ?? 'idle')}`
      : `${died(evidence, open[0])} while the run was ${where(last?.to ?? '')}${doing.length > 0 ? `: ${doing.join('; ')}` : ''}`,
    details: [
      ...(isFresh ? doing.map((words) => `on resume: ${words}`) : []),
      `its last transition was seq ${row.seq} (${last?.event.type ?? 'none'}), ${duration(now - row.updatedAt)} ago, at ${moment(row.updatedAt)}`,
      'what is in the log is safe, and the run goes on from there',
      ...(isFresh ? [] : open.map((effect) => onResume(evidence, effect))),
    ],
    next: [
      ...(troubleOf(evidence, open[0])?.code === 'DATABASE_FULL'
        ? [advice('free some disk space, or raise database.maxPages in the configuration')]
        : []),
      advice('carry it on', `detent runs resume ${row.id}`),
    ],
  };
}

/** A run that a living process moves. */
export function running(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const driver = evidence.driverOf(row.fence);
  const doing = openEffects(evidence).map((effect) => effectWords(evidence, effect));
  return {
    cause: 'running',
    summary: `the run is at work${driver ? ` in process ${driver.pid}` : ''}: ${where(transitions.at(-1)?.to ?? 'idle')}`,
    details: [...doing, `for ${duration(now - row.updatedAt)} now`],
    next: [
      advice('see what happens', `detent runs events ${row.id}`),
      advice('or end it', `detent runs cancel ${row.id}`),
    ],
  };
}

function openEffects({ effects }: Evidence): EffectRow[] {
  return [...effects.values()].filter(({ status }) => status === 'started' || status === 'pending');
}

function effectWords(evidence: Evidence, { n, name, attempt }: EffectRow): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const call = name === 'effect.runTool' ? callOf(evidence, n) : null;
  if (call) return `${callName(n)} ${call.tool}(${brief(call.arguments, 120)})${tries}`;
  return `${plainNames[name] ?? name} (effect ${n}${tries})`;
}

const plainNames: Readonly<Record<string, string>> = {
  'effect.callModel': 'a model call',
  'effect.flush': 'a note to the memory file',
  'effect.compact': 'a summary of the conversation',
};

function onResume(evidence: Evidence, effect: EffectRow): string {
  const words = effectWords(evidence, effect);
  if (effect.status === 'pending') return `on resume ${words} starts for the first time`;
  if (effect.name !== 'effect.runTool') return `on resume ${words} is made again`;
  const side = evidence.context.pending.find(({ id }) => id === effect.n)?.class;
  if (side === 'unsafe')
    return `on resume a person is asked what became of ${words}, because it is unsafe to repeat`;
  if (side === 'probe') return `on resume the tool is asked what became of ${words}`;
  return `on resume ${words} is run again: the tool is declared ${side}, so a repeat is harmless`;
}

/** Who had the run last. */
export function died(evidence: Evidence, effect: EffectRow | undefined): string {
  const driver = lastDriver(evidence, effect);
  if (!driver) return 'its process ended';
  const name = `process ${driver.pid} (driver ${driver.epoch}, since ${moment(driver.startedAt)})`;
  const trouble = troubleOf(evidence, effect);
  return trouble
    ? `${name} could not store what came next (${trouble.code}: ${trouble.message}) and stopped`
    : `${name} ended`;
}

function lastDriver(evidence: Evidence, effect: EffectRow | undefined): Driver | null {
  return evidence.driverOf(effect && effect.fence > 0 ? effect.fence : evidence.row.fence);
}

/** What kept the driver from going on with this run, if it was able to note it. */
function troubleOf(evidence: Evidence, effect: EffectRow | undefined): DriverError | null {
  const { lastError = null } = lastDriver(evidence, effect) ?? {};
  const trouble = lastError === null ? null : (JSON.parse(lastError) as DriverError);
  return trouble?.runId === evidence.row.id ? trouble : null;
}

function described({ body }: ConfirmationRow): string {
  const { name, arguments: raw } = JSON.parse(body) as Question;
  return `${name}(${brief(raw, 200)})`;
}

function expiry({ timers, now }: Evidence, id: string, then: string): string[] {
  const timer = timers.find((one) => one.id === id);
  if (!timer) return [];
  const left = timer.dueAt - now;
  return [`${left > 0 ? `in ${duration(left)}` : 'now'}, at ${moment(timer.dueAt)}, ${then}`];
}
