import { type RunStatus, type Sentence, saidReason } from '../../../protocol/views.ts';
import type { DriverError, EffectRow } from '../../../store/rows.ts';
import { callName, isOpen, type Question } from '../../../store/stored-call.ts';
import { isTakeover, takeoverContextOf, takeoverOptionsOf } from '../../../store/stored-run.ts';
import { shellWord } from '../../../text/wording.ts';
import { expiriesOf } from '../../rows/expiries.ts';
import { takenOverView } from '../../takeover/held.ts';
import { brief } from './chain.ts';
import { callOfEffect, type Evidence } from './evidence.ts';
import { type Advice, advice, answer, decide, type Finding, forkAt, resumeWith } from './finding.ts';
import { where } from './limit-reached.ts';
import { say } from './say.ts';

/** Why a run has not started: which run is ahead of it in the queue, and why that one waits. */
export function queued(evidence: Evidence, front: { status: RunStatus; finding: Finding } | null): Finding {
  const { row, blocker, now } = evidence;
  if (!blocker || !front)
    return {
      cause: 'not_driven',
      summary: say('not_driven'),
      details: [say('created_ago', { ago: now - row.createdAt, at: row.createdAt })],
      next: [advice(say('start_it'), resumeWith(evidence))],
    };
  return {
    cause: 'queued',
    summary: say('queued', {
      run: blocker.id,
      session: row.sessionKey,
      status: front.status,
      why: front.finding.summary,
    }),
    details: [...front.finding.details, ...expiries(evidence)],
    next: [
      ...front.finding.next,
      // A takeover is given back, not cancelled.
      ...(isTakeover(blocker) ? [] : [advice(say('cancel_ahead'), `detent runs cancel ${blocker.id}`)]),
    ],
  };
}

/** Who of the staff has a conversation, or is awaited in it. */
export function takenOver({ row }: Evidence): Finding {
  const { by } = takeoverContextOf(row);
  const { reason } = takeoverOptionsOf(row);
  const key = shellWord(row.sessionKey);
  if (row.ended) return { cause: 'taken_over', summary: say('staff_had_it'), details: [], next: [] };
  const isAwaited = takenOverView(row).state === 'waiting';
  return {
    cause: isAwaited ? 'staff_awaited' : 'taken_over',
    summary: isAwaited
      ? say('staff_awaited', { reason })
      : say('staff_has_it', { by: by ?? say('a_person') }),
    details: [],
    next: [
      ...(isAwaited ? [advice(say('take_over'), `detent sessions takeover ${key}`)] : []),
      advice(say('give_back'), `detent sessions give-back ${key}`),
    ],
  };
}

/** Which decisions a run waits for. */
export function awaitingConfirm(evidence: Evidence): Finding {
  const { row } = evidence;
  const open = evidence.questions.filter(isOpen);
  // What a chart asks is no call that a model made: its words stand below.
  const isOfChart = evidence.options.ask !== undefined;
  const calls = open
    .map((question) => `${callName(question.call)}${isOfChart ? '' : ` ${described(question)}`}`)
    .join('; ');
  return {
    cause: 'waiting_for_confirmation',
    summary: say(isOfChart ? 'person_must_answer' : whoMust(open), { count: open.length, calls }),
    details: [
      ...open.map((question) => {
        const { kind, call, why, askedAt, question: asked } = question;
        const wait = { call: callName(call), waited: evidence.now - askedAt, since: askedAt };
        if (isOfChart || kind === 'question')
          return say('waits_for_answer', { ...wait, question: JSON.stringify(asked?.text ?? why) });
        return say(kind === 'client' ? 'waits_for_result' : 'waits_for_decision', {
          ...wait,
          why: saidReason(why),
        });
      }),
      ...expiries(evidence),
      ...movedHere(evidence),
    ],
    next: [
      ...open.map(({ call: n, kind, asIs }): Advice => {
        const call = callName(n);
        const by = (flags: string) => decide('confirm', row.id, n, flags);
        if (kind === 'question') {
          const how = answer('runs confirm', row.id, call, '--answer TEXT');
          return advice(say('answer_call', { call }), how, '--reject');
        }
        if (kind === 'client') return advice(say('give_result', { call }), by('--result TEXT'), '--reject');
        const others = asIs ? '--reject' : '--reject, or --modify JSON';
        return advice(say('decide_on', { call }), by('--approve'), others);
      }),
      advice(say('then_resume_run'), resumeWith(evidence)),
    ],
  };
}

function whoMust(open: readonly Pick<Question, 'kind'>[]) {
  const isEach = (wanted: string) => open.every(({ kind }) => kind === wanted);
  if (isEach('client')) return 'client_must_give';
  return isEach('question') ? 'person_must_answer' : 'person_must_decide';
}

/** A run that waits for a task has the status and the cause of that task's run. */
export function waitsForTask(parent: Evidence, child: Evidence, below: Finding): Finding {
  const { status } = parent;
  const resume = advice(say('then_resume_this'), resumeWith(parent));
  const own = resumeWith(child).command;
  return {
    cause: below.cause,
    summary: say('waits_for_task', { run: child.row.id, status: child.status, why: below.summary }),
    details: below.details,
    next: [
      // Resuming this run resumes its task, too.
      ...below.next.filter(({ command }) => command !== own),
      ...(status !== 'running' || child.status === 'waiting' ? [resume] : []),
    ],
  };
}

/** Which call has an unknown outcome, and which process died in it. */
export function reconciling(evidence: Evidence): Finding {
  const { row, questions, effects } = evidence;
  const question = questions.find(isOpen);
  const effect = question && effects.get(question.call);
  const call = question ? `${callName(question.call)} ${described(question)}` : say('a_tool_call');
  const by = (flags: string) => (question ? decide('reconcile', row.id, question.call, flags) : null);
  const isAgain = effect?.input?.includes('"again":true') === true;
  return {
    cause: isAgain ? 'made_again_in_fork' : 'crash_in_unsafe_call',
    summary: isAgain
      ? say('made_again_in_fork', { call })
      : say('died_in_call', { died: died(evidence, effect), call }),
    details: [
      ...(isAgain ? [] : [say('unsafe_to_repeat')]),
      ...(effect && !isAgain ? [say('call_started', { count: effect.attempt })] : []),
      ...expiries(evidence),
      ...movedHere(evidence),
    ],
    next: [
      advice(say('check_system'), by('--ran')),
      advice(say('run_again'), by('--retry')),
      advice(say('skip'), by('--skip')),
      advice(say('then_resume_run'), resumeWith(evidence)),
    ],
  };
}

/** A run on which a person has decided, and which no process has resumed since. */
export function decided(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const last = transitions.at(-1)?.event;
  const call = typeof last?.callId === 'number' ? callName(last.callId) : undefined;
  const what =
    last?.type === 'run.message'
      ? say('message_came')
      : last?.given !== undefined
        ? say('client_gave', { call })
        : say('person_decided', { call, verdict: last?.verdict ?? last?.type ?? '' });
  return {
    cause: 'not_resumed',
    summary: say('not_resumed', { what }),
    details: [
      say('decided_ago', { ago: now - row.updatedAt, at: row.updatedAt }),
      ...openEffects(evidence).map((effect) => onResume(evidence, effect)),
      ...missingHere(evidence),
    ],
    next: resumption(evidence),
  };
}

/** A fork that nobody has resumed. */
export function unstarted(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  return {
    cause: 'not_resumed',
    summary: say('fork_not_resumed', { state: where(transitions.at(-1)?.to ?? 'idle') }),
    details: [
      ...openEffects(evidence).map((effect) => say('on_resume', { work: effectWords(evidence, effect) })),
      say('forked_ago', { ago: now - row.createdAt, at: row.createdAt }),
      ...missingHere(evidence),
    ],
    next: [
      ...resumption(evidence),
      advice(say('delete_fork'), `detent sessions delete ${shellWord(row.sessionKey)}`),
    ],
  };
}

/** A run with work to do and no live driver. */
export function interrupted(evidence: Evidence): Finding {
  const { transitions } = evidence;
  const open = openEffects(evidence);
  const last = transitions.at(-1);
  const work = open.map((effect) => effectWords(evidence, effect));
  return {
    cause: 'process_died',
    summary: say('died_while', { died: died(evidence, open[0]), state: where(last?.to ?? ''), work }),
    details: [
      lastTransition(evidence),
      say('log_is_safe'),
      ...open.map((effect) => onResume(evidence, effect)),
      ...missingHere(evidence),
    ],
    next: [
      ...(troubleOf(evidence, open[0])?.code === 'DATABASE_FULL' ? [advice(say('free_disk'))] : []),
      ...resumption(evidence),
    ],
  };
}

/** What keeps this program from taking the run, and who had it. */
function missingHere(evidence: Evidence): Sentence[] {
  const { missing, driverOf } = evidence;
  const moved = movedHere(evidence);
  if (missing === null) return moved;
  const driver = driverOf();
  return [say('missing_here', { what: missing, pid: driver?.pid, driver: driver?.epoch }), ...moved];
}

/** Why only `--here` resumes the run. */
function movedHere({ movedFrom }: Evidence): Sentence[] {
  return movedFrom === null ? [] : [say('moved_here', movedFrom)];
}

function resumption(evidence: Evidence): Advice[] {
  const { missing, row } = evidence;
  if (missing === null) return [advice(say('resume'), resumeWith(evidence))];
  return [
    advice(say('resume_elsewhere')),
    ...(missing.code === 'lacks_workspace'
      ? [advice(say('resume_here'), `detent runs resume ${row.id} --here`)]
      : []),
    advice(say('continue_in_copy'), forkAt(evidence, row.seq)),
  ];
}

/** A run that a live driver drives. */
export function running(evidence: Evidence): Finding {
  const { row, transitions, now } = evidence;
  const driver = evidence.driverOf();
  const doing = openEffects(evidence).map((effect) => effectWords(evidence, effect));
  return {
    cause: 'running',
    summary: say('running', { pid: driver?.pid, state: where(transitions.at(-1)?.to ?? 'idle') }),
    details: [...doing, say('last_transition_ago', { ago: now - row.updatedAt })],
    next: [
      advice(say('see_events'), `detent runs events ${row.id}`),
      advice(say('cancel'), `detent runs cancel ${row.id}`),
    ],
  };
}

function openEffects({ effects }: Evidence): EffectRow[] {
  return [...effects.values()].filter(({ status }) => status === 'started' || status === 'pending');
}

function effectWords(evidence: Evidence, effect: EffectRow): Sentence {
  const { n, name, attempt: tries } = effect;
  const attempt = tries > 1 ? tries : undefined;
  const call = callOfEffect(evidence, effect);
  if (call)
    return say('call', {
      call: callName(n),
      name: call.name,
      arguments: brief(call.arguments, 120),
      attempt,
    });
  const code = effectCodes.get(name);
  return code ? say(code, { effect: n, attempt }) : say('effect', { name, effect: n, attempt });
}

const effectCodes = new Map<string, 'model_call' | 'memory_note' | 'compaction'>([
  ['effect.callModel', 'model_call'],
  ['effect.flush', 'memory_note'],
  ['effect.compact', 'compaction'],
]);

function onResume(evidence: Evidence, effect: EffectRow): Sentence {
  const work = effectWords(evidence, effect);
  if (effect.status === 'pending') return say('starts_first', { work });
  if (effect.name !== 'effect.runTool') return say('starts_again', { work });
  const side = evidence.context.pending.find(({ id }) => id === effect.n)?.class;
  if (side === 'unsafe') return say('asks_what_became', { work });
  return side === 'probe'
    ? say('asks_tool', { work })
    : say('runs_again', { work, side: side ?? 'readonly' });
}

/** The last transition of a run that no process drives, and when it was. */
export function lastTransition({ row, transitions, now }: Evidence): Sentence {
  const event = transitions.at(-1)?.event.type ?? 'none';
  return say('last_transition', { seq: row.seq, event, ago: now - row.updatedAt, at: row.updatedAt });
}

/** The end of the run's last driver. */
export function died(evidence: Evidence, effect: EffectRow | undefined): Sentence {
  const driver = evidence.driverOf(effect);
  if (!driver) return say('unknown_process_ended');
  const process = { pid: driver.pid, driver: driver.epoch, since: driver.startedAt };
  const trouble = troubleOf(evidence, effect);
  return trouble
    ? say('process_could_not_store', { ...process, code: trouble.code, message: trouble.message })
    : say('process_ended', process);
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

/** What becomes of a run when nobody ends its wait, and when. */
export function expiries({ timers, now, nameOf, options }: Evidence): Sentence[] {
  return expiriesOf(timers).map(({ of, effect, at }) => {
    const when = { left: at - now, at };
    if (of === 'unknown') return say('unknown_expires', { ...when, name: nameOf(effect ?? 0) });
    // A rejection is an answer to a chart, and the end of its time is none.
    return say(of === 'confirm' && options.ask !== undefined ? 'question_expires' : `${of}_expires`, when);
  });
}
