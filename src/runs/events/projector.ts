import type { LoggedTransition } from '../../engine/logged-transition.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { RunEvent, RunEventPayloads } from '../../protocol/run-events.ts';
import { noTokens, type Usage } from '../../protocol/usage.ts';
import { callName } from '../../records/call-id.ts';
import { type CallDecision, isCallDecision, type LogEvent } from '../../records/log-event.ts';
import type { AssistantBody, Said, ToolBody, UserBody } from '../../records/messages.ts';
import type { Question } from '../../records/question.ts';
import type { RunOptions } from '../../records/run-options.ts';
import { subRunId } from '../../records/sub-run-id.ts';
import { Tally } from '../story/tally.ts';
import { todoItems } from '../todo-items.ts';
import { askedIn, type EndOfRun, endedWith, eventsOf, type Told } from './run-facts.ts';

/** What is known of a run besides its log. */
export interface ProjectedRun {
  runId: string;
  sessionId: string;
  options: Pick<RunOptions, 'agent' | 'parentRunId' | 'parentCall'>;
}

/** `n`: its number among the questions about its call, from 1. */
export type AskedQuestion = Question & { n: number };

/** What a transition's events need of other tables: rows that never change once they are written. */
export interface Beside {
  /** All questions to people about the run's calls, in the order in which they were asked. */
  questions: readonly AskedQuestion[];
  /** Null unless the run ended with this transition. */
  end: EndOfRun | null;
}

/** The call of a tool that has no result yet. */
interface OpenCall {
  name: string;
  arguments: string;
  /** The kind of its open question. */
  asked: Question['kind'] | null;
}

const requesting = 'active.working.thinking.requesting';
const backingOff = 'active.working.thinking.backingOff';
const reconciling = 'active.reconciling';
const compacting = 'active.working.compacting';
const subAgentTool = 'task';

/**
 * Makes the events of a run out of its log. It reads the transitions in order, from the first one: what an event says may
 * depend on earlier ones. The same log always gives the same events.
 */
export class Projector {
  readonly #run: ProjectedRun;
  readonly #calls = new Map<number, OpenCall>();
  readonly #asked = new Set<string>();
  #path = 'idle';
  #isInStep = false;
  #isCompacting = false;
  readonly #tally = new Tally();

  constructor(run: ProjectedRun) {
    this.#run = run;
  }

  /** The events of the next transition, in the order in which they happened; at least one. */
  next(transition: LoggedTransition, beside: Beside): RunEvent[] {
    const from = this.#path;
    this.#path = transition.path;
    const said = transition.messages.map(({ role, ...body }) => ({ role, body }) as unknown as Said);
    return eventsOf(transition, [
      ...this.#begun(transition),
      {
        event: 'state.changed',
        payload: { from, to: transition.path, event: transition.event.type },
      },
      ...this.#decided(transition),
      ...said.flatMap((message) => this.#message(message, transition)),
      ...this.#brokenOff(transition, said),
      ...this.#compaction(transition, said),
      ...this.#questions(transition, beside.questions),
      ...this.#step(from, transition),
      ...(beside.end ? [endedWith(beside.end, this.#tally.last?.text ?? '')] : []),
    ]);
  }

  #begun({ event }: LoggedTransition): Told[] {
    if (event.type !== 'run.start') return [];
    const { sessionId, options } = this.#run;
    const { parentRunId, parentCall } = options;
    const parent = parentRunId === undefined || parentCall === undefined ? {} : { parentRunId, parentCall };
    return [{ event: 'lifecycle.start', payload: { sessionId, agentName: this.#agentName, ...parent } }];
  }

  /** A new step begins, but not with another try at the same model call, or with another model. */
  #step(from: string, { path }: LoggedTransition): Told[] {
    if (path !== requesting || this.#isInStep || from === backingOff) return [];
    this.#isInStep = true;
    const isSubagent = this.#run.options.parentRunId !== undefined;
    const payload = { stepNo: this.#tally.answers + 1, isSubagent, agentName: this.#agentName };
    return [{ event: 'step.begin', payload }];
  }

  #decided({ event }: LoggedTransition): Told[] {
    return isCallDecision(event) ? this.#resolved(event) : [];
  }

  #resolved({
    callId: call,
    verdict,
    answer,
    ...given
  }: Pick<CallDecision, 'callId' | 'verdict' | 'answer' | 'reason' | 'by'>): Told[] {
    const open = this.#calls.get(call);
    if (!open?.asked) return [];
    const { asked } = open;
    open.asked = null;
    const callId = callName(call);
    const by = given.by === undefined ? {} : { by: given.by };
    const said = { ...(given.reason !== undefined && { reason: given.reason }), ...by };
    // To the machine, a result is a change of the call.
    if (asked === 'client')
      return [
        {
          event: 'tool.client_resolved',
          payload: { callId, verdict: verdict === 'modify' ? 'result' : verdict, ...said },
        },
      ];
    if (asked !== 'question')
      return [{ event: 'tool.confirm_resolved', payload: { callId, verdict, ...said } }];
    const answered = answer === undefined ? { callId, verdict } : { callId, verdict: 'answer', answer };
    return [{ event: 'question.answered', payload: { ...answered, ...by } }];
  }

  #message(message: Said, transition: LoggedTransition): Told[] {
    this.#tally.add(message);
    const { role, body } = message;
    if (role === 'user') return this.#said(body);
    if (role === 'tool') return this.#result(body, transition);
    return role === 'assistant' ? this.#answer(body, transition) : this.#usage(body);
  }

  #said({ text: content, parts, job }: UserBody): Told[] {
    const brought = { ...(parts && { attachments: parts }), ...(job && { job: job.id }) };
    return [{ event: 'user.message', payload: { content, ...brought } }];
  }

  #answer(body: AssistantBody, { event }: LoggedTransition): Told[] {
    this.#isInStep = false;
    const { effectId, model, provider, text: content, reasoning, refusal, finishReason, error } = body;
    const said = { effectId, model: model || provider, content, reasoning, refusal, finishReason, error };
    const gates = gatesOf(event);
    const broken: Told[] = error
      ? [
          {
            event: 'step.interrupted',
            payload: { stepNo: this.#tally.answers, effectId, isAskedAgain: false, error },
          },
        ]
      : [];
    const calls = error ? [] : body.toolCalls;
    return [
      { event: 'assistant.message', payload: { stepNo: this.#tally.answers, ...said } },
      ...this.#usage(body),
      ...broken,
      ...calls.flatMap((call): Told[] => {
        const { name, arguments: raw, why } = call;
        this.#calls.set(call.callId, { name, arguments: raw, asked: null });
        const callId = callName(call.callId);
        const decision = gates.get(call.callId) ?? 'run';
        const payload = { callId, name, arguments: raw, decision, ...(why !== undefined && { why }) };
        return [
          { event: 'tool.call', payload },
          ...(decision === 'run' ? this.#subagent(call.callId, raw) : []),
        ];
      }),
    ];
  }

  #result(body: ToolBody, { event }: LoggedTransition): Told[] {
    const { callId: call, status, isError, code, text: content, parts, artifact } = body;
    const { name = '', arguments: raw = '' } = this.#calls.get(call) ?? {};
    const callId = callName(call);
    // A call that is closed while a person is asked about it: the time is over, or a message came instead.
    const resolved = this.#resolved({ callId: call, verdict: String(code ?? status).toLowerCase() });
    this.#calls.delete(call);
    const shown = parts ? { attachments: parts } : {};
    const result = { callId, name, status, isError, code, content, ...shown };
    const skill = event.type === 'tool.done' && isObject(event.skill) ? event.skill.name : undefined;
    const kept = artifact === undefined ? [] : [artifact];
    return [
      ...resolved,
      { event: 'tool.result', payload: result },
      ...this.#todo(name, status, raw),
      ...kept.map((artifact): Told => ({ event: 'artifact.created', payload: { callId, artifact } })),
      ...(typeof skill === 'string'
        ? [{ event: 'skill.activated', payload: { callId, name: skill } } as const]
        : []),
      ...(name === subAgentTool ? [this.#subagentEnded(call, isError)] : []),
    ];
  }

  #todo(name: string, status: string, raw: string): Told[] {
    const items = name === 'todo' && status === 'done' ? todoItems(raw) : null;
    return items ? [{ event: 'todo.updated', payload: { items } }] : [];
  }

  #subagent(call: number, raw: string): Told[] {
    if (this.#calls.get(call)?.name !== subAgentTool) return [];
    const given = parseJson(raw);
    const agent = isObject(given) && typeof given.agent === 'string' ? given.agent : 'default';
    const runId = subRunId(this.#run.runId, call);
    return [{ event: 'subagent.started', payload: { callId: callName(call), runId, agentName: agent } }];
  }

  #subagentEnded(call: number, isError: boolean): Told {
    const runId = subRunId(this.#run.runId, call);
    return { event: 'subagent.ended', payload: { callId: callName(call), runId, isError } };
  }

  #brokenOff({ event }: LoggedTransition, said: readonly Said[]): Told[] {
    const isAskedAgain = this.#path === backingOff || this.#path === requesting;
    const { type, effectId = 0, error }: LogEvent = event;
    if ((type !== 'model.failed' && type !== 'model.switched') || !error) return [];
    if (!this.#isInStep || !isAskedAgain) return [];
    const [withdrawn] = said.flatMap(({ role, body }) =>
      role === 'withdrawn' ? { withdrawn: { content: body.text, reasoning: body.reasoning } } : [],
    );
    return [
      {
        event: 'step.interrupted',
        payload: { stepNo: this.#tally.answers + 1, effectId, isAskedAgain, error, ...withdrawn },
      },
    ];
  }

  #compaction({ event, path }: LoggedTransition, said: readonly Said[]): Told[] {
    const { type, error, how = 'model', lines = 0 }: LogEvent = event;
    const failure = error ?? null;
    const told: Told[] = [];
    if (type === 'flush.done' || type === 'flush.failed') {
      const made = type === 'flush.failed' ? 'nothing' : how;
      told.push({ event: 'memory.flush', payload: { how: made, lines, error: failure } });
    }
    const isCompacting = path.startsWith(compacting);
    if (isCompacting && !this.#isCompacting) told.unshift({ event: 'compaction.begin', payload: {} });
    if (!isCompacting && this.#isCompacting) {
      const error = type === 'compact.failed' ? failure : null;
      const [made] = said.flatMap(({ role, body }) => (role === 'summary' ? { summary: body.text } : []));
      told.push({ event: 'compaction.end', payload: { error, ...made } });
    }
    this.#isCompacting = isCompacting;
    return told;
  }

  /** The questions that this transition asks. Rows are matched by what asked them, not by their time alone. */
  #questions(transition: LoggedTransition, questions: readonly AskedQuestion[]): Told[] {
    const gates = gatesOf(transition.event);
    // A transition asks one question about a call; the next one may have been asked in the same millisecond.
    const calls = new Set<number>();
    return questions.flatMap((question): Told[] => {
      const { kind, call, n } = question;
      const open = this.#calls.get(call);
      const key = `${call} ${n}`;
      if (!open || calls.has(call) || this.#asked.has(key) || !asks(transition, question, gates)) return [];
      calls.add(call);
      this.#asked.add(key);
      open.asked = kind;
      const { preview, question: words } = question;
      const asked = { ...askedIn(question), ...(preview !== undefined && { preview }) };
      if (kind === 'question' && words)
        return [{ event: 'question.asked', payload: { ...asked, question: words } }];
      if (kind === 'client') return [{ event: 'tool.client_request', payload: asked }];
      return kind === 'question' ? [] : [{ event: 'tool.confirm_request', payload: { ...asked, kind } }];
    });
  }

  #usage({ usage, costUsd }: Pick<AssistantBody, 'usage' | 'costUsd'>): Told[] {
    if (!usage && costUsd === null) return [];
    const call: Usage = { ...(usage ?? noTokens), costUsd };
    const { inputTokens, outputTokens, costUsd: total } = this.#tally.usage;
    return [{ event: 'usage', payload: { call, total: { inputTokens, outputTokens, costUsd: total } } }];
  }

  get #agentName(): string {
    return this.#run.options.agent ?? 'default';
  }
}

type Gate = RunEventPayloads['tool.call']['decision'];

function gatesOf({ calls }: LogEvent): Map<number, Gate> {
  // A line of an imported run may have anything there.
  return new Map((Array.isArray(calls) ? calls : []).map(({ callId, gate }) => [callId, gate]));
}

/** Whether questions to people may have been asked with the transition. */
export function mayAsk({ event, path }: LoggedTransition): boolean {
  return path === reconciling || event.type === 'tool.asked' || [...gatesOf(event).values()].includes('ask');
}

function asks(
  { event, at, path }: LoggedTransition,
  { kind, call, askedAt }: AskedQuestion,
  gates: ReadonlyMap<number, Gate>,
): boolean {
  if (askedAt !== at) return false;
  if (kind === 'reconcile') return path === reconciling;
  return gates.get(call) === 'ask' || (event.type === 'tool.asked' && event.callId === call);
}
