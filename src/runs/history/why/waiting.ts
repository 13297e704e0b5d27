import type { DriverError, EffectRow } from '../../../store/rows.ts';
import { callName, isOpen, type Question } from '../../../store/stored-call.ts';
import { duration, shellWord } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { callOf, type Evidence } from './evidence.ts';
import { type Advice, advice, type Finding, moment, resumeWith } from './finding.ts';
import { where } from './limit-reached.ts';

/** Why a run has not started: which run is ahead of it in the queue, and why that one waits. */
export function queued(evidence: Evidence, front: { status: string; finding: Finding } | null): Finding {
  const { row, blocker, now } = evidence;
  if (!blocker)
    return {
      cause: 'not_driven',
      summary: 'this run is first in its queue, but no process has started it yet',
      details: [`it was created ${duration(now - row.createdAt)} ago, at ${moment(row.createdAt)}`],
      next: [advice('start it', resumeWith(evidence))],
    };
  return {
    cause: 'queued',
    summary: `run ${blocker.id} is ahead of this one in the queue of session "${row.sessionKey}": it is ${front?.status ?? 'unfinished'}${front ? `, because ${front.finding.summary}` : ''}`,
    details: [...(front?.finding.details ?? []), ...expiry(evidence, 'queue', 'the queued run fails')],
    next: [
      ...(front?.finding.next ?? []),
      advice('or cancel the run ahead', `detent runs cancel ${blocker.id}`),
    ],
  };
}

/** Which decisions a run waits for. */
export function awaitingConfirm(evidence: Evidence): Finding {
  const { row } = evidence;
  const open = evidence.questions.filter(isOpen);
  const asked = open.map((question) => `${callName(question.call)} ${described(question)}`);
  return {
    cause: 'waiting_for_confirmation',
    summary: `${whoMust(open)} ${open.length === 1 ? 'a tool call' : `${open.length} tool calls`}: ${asked.join('; ')}`,
    details: [
      ...open.map((question) => {
        const { kind, call, why, askedAt, question: asked } = question;
        const since = `${duration(evidence.now - askedAt)}, since ${moment(askedAt)}`;
        const asks = evidence.options.ask !== undefined || kind === 'question';
        if (asks)
          return `${callName(call)} is waiting for an answer to ${JSON.stringify(asked?.text ?? why)} (${since})`;
        const what = kind === 'client' ? 'a result' : 'a decision';
        return `${callName(call)} needs ${what} because ${why}; it has waited ${since}`;
      }),
      ...expiry(evidence, 'confirm', 'open calls are rejected'),
    ],
    next: [
      ...open.map(({ call, kind, asIs }): Advice => {
        const confirm = `detent runs confirm ${row.id} ${callName(call)}`;
        if (kind === 'question')
          return advice(`answer ${callName(call)} (or --reject)`, `${confirm} --answer TEXT`);
        if (kind === 'client')
          return advice(
            `the client gives the result of ${callName(call)}; in its place (or --reject)`,
            `${confirm} --result TEXT`,
          );
        return advice(
          `decide on ${callName(call)} (or with --reject${asIs ? '' : ', or --modify JSON'})`,
          `${confirm} --approve`,
        );
      }),
      advice('then resume the run', resumeWith(evidence)),
    ],
  };
}

function whoMust(open: readonly Pick<Question, 'kind'>[]): string {
  const isEach = (wanted: string) => open.every(({ kind }) => kind === wanted);
  if (isEach('client')) return 'the client that started the run must give the result of';
  return `a person must ${isEach('question') ? 'answer' : 'decide on'}`;
}

/** A run that waits for a task has the status and the cause of that task's run. */
export function waitsForTask(parent: Evidence, child: Evidence, below: Finding): Finding {
  const { status } = parent;
  const resume = advice('then resume this run', resumeWith(parent));
  const own = new Set([resumeWith(child)]);
  return {
    cause: below.cause,
    summary: `it waits for its task, run ${child.row.id}, which is ${child.status}: ${below.summary}`,
    details: below.details,
    next: [
      // Resuming this run resumes its task, too.
      ...below.next.filter(({ command }) => command === null || !own.has(command)),
      ...(status !== 'running' || child.status === 'waiting' ? [resume] : []),
    ],
  };
}

/** Which call has an unknown outcome, and which process died in it. */
export function reconciling(evidence: Evidence): Finding {
  const { row, questions, effects } = evidence;
  const question = questions.find(isOpen);
  const effect = question && effects.get(question.call);
  const call = question ? `${callName(question.call)} ${described(question)}` : 'a tool call';
  const reconcile = question ? `detent runs reconcile ${row.id} ${callName(question.call)}` : '';
  const isAgain = effect?.input?.includes('"again":true') === true;
  return {
    cause: isAgain ? 'made_again_in_fork' : 'crash_in_unsafe_call',
    summary: isAgain
      ? `${call} may have been made already, in the original of this fork, and what people approved there does not count here`
      : `${died(evidence, effect)} while ${call} was running, and Detent cannot know whether the call took effect`,
    details: [
      ...(isAgain
        ? []
        : ['the tool is declared unsafe to repeat, so only a person may decide to run it again']),
      ...(effect && !isAgain
        ? [`the call had been started ${effect.attempt === 1 ? 'once' : `${effect.attempt} times`}`]
        : []),
      ...expiry(evidence, 'reconcile', 'the model gets the result that the outcome is unknown'),
    ],
    next: [
      advice('check the system that the tool changes; if the call ran', `${reconcile} --ran`),
      advice('if it did not run: run it again', `${reconcile} --retry`),
      advice('or skip it', `${reconcile} --skip`),
      advice('then resume the run', resumeWith(evidence)),
    ],
  };
}

/** A run on which a person has decided, and which no process has resumed since. */
export function decided(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const last = transitions.at(-1)?.event;
  const call = typeof last?.callId === 'number' ? ` on ${callName(last.callId)}` : '';
  const what =
    last?.type === 'run.message'
      ? 'a message came for it'
      : last?.given !== undefined
        ? `the client gave the result${call.replace('on', 'of')}`
        : `a person decided${call} (${last?.verdict ?? last?.type})`;
  return {
    cause: 'not_resumed',
    summary: `${what}, and no process has resumed the run since`,
    details: [
      `that was ${duration(now - row.updatedAt)} ago, at ${moment(row.updatedAt)}`,
      ...openEffects(evidence).map((effect) => onResume(evidence, effect)),
      ...missingHere(evidence),
    ],
    next: resumption(evidence, `detent runs resume ${row.id}`),
  };
}

/** A fork that nobody has resumed. */
export function unstarted(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  return {
    cause: 'not_resumed',
    summary: `this run is a fork that has not been resumed; it starts where the original was ${where(transitions.at(-1)?.to ?? 'idle')}`,
    details: [
      ...openEffects(evidence).map((effect) => `on resume: ${effectWords(evidence, effect)}`),
      `it was made ${duration(now - row.createdAt)} ago, at ${moment(row.createdAt)}; no time passes for it`,
      ...missingHere(evidence),
    ],
    next: [
      ...resumption(evidence, resumeWith(evidence)),
      advice('or delete it, with its session', `detent sessions delete ${shellWord(row.sessionKey)}`),
    ],
  };
}

/** A run with work to do and no live driver. */
export function interrupted(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const open = openEffects(evidence);
  const last = transitions.at(-1);
  const doing = open.map((effect) => effectWords(evidence, effect));
  return {
    cause: 'process_died',
    summary: `${died(evidence, open[0])} while the run was ${where(last?.to ?? '')}${doing.length > 0 ? `: ${doing.join('; ')}` : ''}`,
    details: [
      `its last transition was seq ${row.seq} (${last?.event.type ?? 'none'}), ${duration(now - row.updatedAt)} ago, at ${moment(row.updatedAt)}`,
      'the log is safe, and a resume continues from its last transition',
      ...open.map((effect) => onResume(evidence, effect)),
      ...missingHere(evidence),
    ],
    next: [
      ...(troubleOf(evidence, open[0])?.code === 'DATABASE_FULL'
        ? [advice('free some disk space, or raise database.maxPages in the configuration')]
        : []),
      ...resumption(evidence, resumeWith(evidence)),
    ],
  };
}

/** What keeps this program from taking the run, and who had it. */
function missingHere({ missing, driverOf }: Evidence): string[] {
  if (missing === null) return [];
  const driver = driverOf();
  const had = driver ? `; process ${driver.pid} (driver ${driver.epoch}) had it` : '';
  return [`it needs ${missing}, which this program does not have${had}`];
}

function resumption({ missing, row }: Evidence, command: string): ReturnType<typeof advice>[] {
  if (missing === null) return [advice('resume it', command)];
  return [
    advice('resume it with the program that made it'),
    advice('or go on here in a copy, without that', `detent runs fork ${row.id} --at ${row.seq}`),
  ];
}

/** A run that a live driver drives. */
export function running(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const driver = evidence.driverOf();
  const doing = openEffects(evidence).map((effect) => effectWords(evidence, effect));
  return {
    cause: 'running',
    summary: `the run is working${driver ? ` in process ${driver.pid}` : ''}: ${where(transitions.at(-1)?.to ?? 'idle')}`,
    details: [...doing, `its last transition was ${duration(now - row.updatedAt)} ago`],
    next: [
      advice('see its events', `detent runs events ${row.id}`),
      advice('or cancel it', `detent runs cancel ${row.id}`),
    ],
  };
}

function openEffects({ effects }: Evidence): EffectRow[] {
  return [...effects.values()].filter(({ status }) => status === 'started' || status === 'pending');
}

function effectWords(evidence: Evidence, { n, name, attempt }: EffectRow): string {
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const call = name === 'effect.runTool' ? callOf(evidence, n) : null;
  if (call) return `${callName(n)} ${call.name}(${brief(call.arguments, 120)})${tries}`;
  return `${plainNames[name] ?? name} (effect ${n}${tries})`;
}

const plainNames: Readonly<Record<string, string>> = {
  'effect.callModel': 'a model call',
  'effect.flush': 'a note to the memory file',
  'effect.compact': 'a compaction of the conversation',
};

function onResume(evidence: Evidence, effect: EffectRow): string {
  const words = effectWords(evidence, effect);
  if (effect.status === 'pending') return `on resume ${words} starts for the first time`;
  if (effect.name !== 'effect.runTool') return `on resume ${words} starts again`;
  const side = evidence.context.pending.find(({ id }) => id === effect.n)?.class;
  if (side === 'unsafe')
    return `on resume a person must say what became of ${words}, because it is unsafe to repeat`;
  if (side === 'probe') return `on resume Detent asks the tool for the status of ${words}`;
  return `on resume ${words} runs again: the tool is declared ${side}, so a repeat is harmless`;
}

/** The end of the run's last driver, in words. */
export function died(evidence: Evidence, effect: EffectRow | undefined): string {
  const driver = evidence.driverOf(effect);
  if (!driver) return 'its process ended';
  const name = `process ${driver.pid} (driver ${driver.epoch}, since ${moment(driver.startedAt)})`;
  const trouble = troubleOf(evidence, effect);
  return trouble
    ? `${name} could not store the next step (${trouble.code}: ${trouble.message}) and stopped`
    : `${name} ended`;
}

/** The error that stopped the driver at this run, where the driver could store it. */
function troubleOf(evidence: Evidence, effect: EffectRow | undefined): DriverError | null {
  const { lastError = null } = evidence.driverOf(effect) ?? {};
  const trouble = lastError === null ? null : (JSON.parse(lastError) as DriverError);
  return trouble?.runId === evidence.row.id ? trouble : null;
}

function described({ name, arguments: raw }: Question): string {
  return `${name}(${brief(raw, 200)})`;
}

function expiry({ timers, now }: Evidence, id: string, then: string): string[] {
  const timer = timers.find((one) => one.id === id);
  if (!timer) return [];
  const left = timer.dueAt - now;
  return [`${left > 0 ? `in ${duration(left)}` : 'now'}, at ${moment(timer.dueAt)}, ${then}`];
}
