import type { LoggedTransition } from '../../engine/machine.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import { taskName } from '../../protocol/tool.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { callName, type LogEvent, loadedSkill } from '../../store/stored-call.ts';
import type { Said, UserBody } from '../../store/stored-message.ts';
import { subRunId } from '../../store/stored-run.ts';
import { parentOf } from '../rows/sub-run-rows.ts';
import { type AskedQuestion, type Changes, Story } from '../story/story.ts';
import { todoItems } from '../story/todo-items.ts';
import { asked, type EndOfRun, endedWith, eventsOf, resolved, type Told } from './run-facts.ts';

/** What is known of a run besides its log. */
interface ProjectedRun {
  runId: string;
  sessionId: string;
  options: Pick<RunOptions, 'agent' | 'parentRunId' | 'parentCall'>;
  /** Of a takeover: who began it, if it was not asked for. */
  takeover?: { by: string | null };
}

/** What a transition's events need of other tables: rows that never change once they are written. */
export interface Beside {
  /** All questions to people about the run's calls, in the order in which they were asked. */
  questions: readonly AskedQuestion[];
  /** Null unless the run ended with this transition. */
  end: EndOfRun | null;
  /** Of a workflow: its event in the names of its chart. */
  label?: string | undefined;
}

const requesting = 'active.working.thinking.requesting';
const backingOff = 'active.working.thinking.backingOff';
const compacting = 'active.working.compacting';

type Message = Changes['said'][number];
type Answer = Extract<Message, { role: 'assistant' }>;
type Result = Extract<Message, { role: 'tool' }>;

/**
 * Makes the events of a run out of its story. It takes the transitions in order, from the first one: what an event says may
 * depend on earlier ones. The same log always gives the same events.
 */
export class Projector {
  readonly #run: ProjectedRun;
  readonly #story = new Story();
  /** The newest step: it lasts until the model has answered. */
  #step = 0;

  constructor(run: ProjectedRun) {
    this.#run = run;
  }

  /** The events of the next transition, in the order in which they happened; at least one. */
  next(transition: LoggedTransition, { questions, end }: Beside): RunEvent[] {
    const { event, path } = transition;
    const messages = transition.messages.map(({ role, ...body }) => ({ role, body }) as unknown as Said);
    const told = this.#story.take({ ...transition, messages }, questions);
    return eventsOf(transition, [
      ...this.#begun(event),
      { event: 'state.changed', payload: { from: told.from, to: path, event: event.type } },
      ...resolved(told.settled),
      ...this.#handedOver(transition, told.from),
      ...told.said.flatMap((message) => this.#message(message, event)),
      ...this.#brokenOff(transition, messages),
      ...usage(told.unsaid),
      ...compaction(transition, told),
      ...told.asked.flatMap(asked),
      ...this.#begins(told.from, path),
      ...(end ? [endedWith(end, this.#story.tally.last?.text ?? '')] : []),
    ]);
  }

  mayAsk(transition: LoggedTransition): boolean {
    return this.#story.mayAsk(transition);
  }

  #begun({ type }: LogEvent): Told[] {
    if (type !== 'run.start') return [];
    const { sessionId, options } = this.#run;
    const payload = { sessionId, agentName: this.#agentName, ...parentOf(options) };
    return [{ event: 'lifecycle.start', payload }];
  }

  /** The event of a new step. A retry of the same model call, or a switch to another model, begins none. */
  #begins(from: string, path: string): Told[] {
    if (path !== requesting || this.#isInStep || from === backingOff) return [];
    this.#step = this.#nextStep;
    const isSubagent = this.#run.options.parentRunId !== undefined;
    return [{ event: 'step.begin', payload: { stepNo: this.#step, isSubagent, agentName: this.#agentName } }];
  }

  /** What the takeover of its session does, of which this is the run, or which has ended this run. */
  #handedOver({ event, path, ended }: LoggedTransition, from: string): Told[] {
    const { takeover, by, type }: LogEvent = event;
    const own = this.#run.takeover;
    const named = type === 'run.start' ? own?.by : by;
    const who = typeof named === 'string' ? { by: named } : {};
    if (takeover !== undefined)
      return [{ event: 'takeover.changed', payload: { state: 'taken', runId: takeover, ...who } }];
    if (!own || (path === from && !ended)) return [];
    const { runId } = this.#run;
    if (ended) return [{ event: 'takeover.changed', payload: { state: 'over', runId, ...who } }];
    const state = path === 'taken' ? 'taken' : 'waiting';
    return [{ event: 'takeover.changed', payload: { state, runId, ...who } }];
  }

  #message(message: Message, event: LogEvent): Told[] {
    if (message.role === 'user') return [said(message.body)];
    if (message.role === 'staff') {
      const { text: content, name, by } = message.body;
      return [{ event: 'staff.message', payload: { content, ...(name !== undefined && { name }), by } }];
    }
    if (message.role === 'tool') return this.#result(message, event);
    return message.role === 'assistant' ? this.#answer(message) : usage(message);
  }

  #answer(answer: Answer): Told[] {
    const { body, calls, step: stepNo } = answer;
    const { effectId, model, provider, text: content, reasoning, refusal, finishReason, error } = body;
    const said = { effectId, model: model || provider, content, reasoning, refusal, finishReason, error };
    return [
      { event: 'assistant.message', payload: { stepNo, ...said } },
      ...usage(answer),
      ...(error
        ? [{ event: 'step.interrupted', payload: { stepNo, effectId, isAskedAgain: false, error } } as const]
        : []),
      ...calls
        .filter(({ isMade }) => isMade)
        .flatMap(({ callId, name, arguments: raw, gate: decision, why, asIs }): Told[] => {
          const said = { ...(why !== undefined && { why }), ...(asIs && { asIs }) };
          const payload = { name, arguments: raw, decision, ...said };
          return [
            { event: 'tool.call', payload: { callId: callName(callId), ...payload } },
            ...(decision === 'run' && name === taskName ? [this.#subagent(callId, raw)] : []),
          ];
        }),
    ];
  }

  #result({ body, call, settled }: Result, event: LogEvent): Told[] {
    const { callId: n, status, isError, code, text: content, parts, data, artifact, changed } = body;
    const { name = '', arguments: raw = '' } = call ?? {};
    const callId = callName(n);
    const shown = {
      ...(parts && { attachments: parts }),
      ...(data && { data }),
      ...(changed && { changed }),
    };
    const items = name === 'todo' && status === 'done' ? todoItems(raw) : null;
    const skill = loadedSkill(event);
    const told: Told[] = [
      ...resolved(settled),
      { event: 'tool.result', payload: { callId, name, status, isError, code, content, ...shown } },
    ];
    if (items) told.push({ event: 'todo.updated', payload: { items } });
    if (artifact !== undefined) told.push({ event: 'artifact.created', payload: { callId, artifact } });
    if (skill) told.push({ event: 'skill.activated', payload: { callId, name: skill.name } });
    if (name === taskName)
      told.push({
        event: 'subagent.ended',
        payload: { callId, runId: subRunId(this.#run.runId, n), isError },
      });
    return told;
  }

  #subagent(call: number, raw: string): Told {
    const given = parseJson(raw);
    const agentName = isObject(given) && typeof given.agent === 'string' ? given.agent : 'default';
    const runId = subRunId(this.#run.runId, call);
    return { event: 'subagent.started', payload: { callId: callName(call), runId, agentName } };
  }

  #brokenOff({ event, path }: LoggedTransition, said: readonly Said[]): Told[] {
    const isAskedAgain = path === backingOff || path === requesting;
    const { type, effectId = 0, error }: LogEvent = event;
    if ((type !== 'model.failed' && type !== 'model.switched') || !error) return [];
    if (!this.#isInStep || !isAskedAgain) return [];
    const [withdrawn] = said.flatMap(({ role, body }) =>
      role === 'withdrawn' ? { withdrawn: { content: body.text, reasoning: body.reasoning } } : [],
    );
    const payload = { stepNo: this.#nextStep, effectId, isAskedAgain, error, ...withdrawn };
    return [{ event: 'step.interrupted', payload }];
  }

  get #nextStep(): number {
    return this.#story.tally.answers + 1;
  }

  get #isInStep(): boolean {
    return this.#step === this.#nextStep;
  }

  get #agentName(): string {
    return this.#run.options.agent ?? 'default';
  }
}

function said({ text: content, parts, job }: UserBody): Told {
  const brought = { ...(parts && { attachments: parts }), ...(job && { job: job.id }) };
  return { event: 'user.message', payload: { content, ...brought } };
}

function usage({ usage: call, total }: Changes['unsaid']): Told[] {
  if (!call) return [];
  const { inputTokens, outputTokens, costUsd } = total;
  return [{ event: 'usage', payload: { call, total: { inputTokens, outputTokens, costUsd } } }];
}

function compaction({ event, path }: LoggedTransition, { from, said }: Changes): Told[] {
  const { type, error, how = 'model', lines = 0 }: LogEvent = event;
  const failure = error ?? null;
  const [isCompacting, wasCompacting] = [path.startsWith(compacting), from.startsWith(compacting)];
  const told: Told[] = [];
  if (isCompacting && !wasCompacting) told.push({ event: 'compaction.begin', payload: {} });
  if (type === 'flush.done' || type === 'flush.failed') {
    const made = type === 'flush.failed' ? 'nothing' : how;
    told.push({ event: 'memory.flush', payload: { how: made, lines, error: failure } });
  }
  if (wasCompacting && !isCompacting) {
    const error = type === 'compact.failed' ? failure : null;
    const [made] = said.flatMap(({ role, body }) => (role === 'summary' ? { summary: body.text } : []));
    told.push({ event: 'compaction.end', payload: { error, ...made } });
  }
  return told;
}
