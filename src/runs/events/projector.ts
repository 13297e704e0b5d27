import type { LoggedTransition } from '../../engine/logged-transition.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { RunEvent, RunEventPayloads } from '../../protocol/run-events.ts';
import type { Answer, RunError } from '../../protocol/run-view.ts';
import { noTokens, type Usage } from '../../protocol/usage.ts';
import { callName } from '../../records/call-id.ts';
import type { AssistantBody, SummaryBody, ToolBody, UserBody } from '../../records/messages.ts';
import type { Question } from '../../records/question.ts';
import type { RunOptions } from '../../records/run-options.ts';
import { todoItems } from '../todo-items.ts';
import type { EndOfRun } from './run-facts.ts';

type Name = keyof RunEventPayloads;
type Told = { [N in Name]: { event: N; payload: RunEventPayloads[N] } }[Name];
type Message = LoggedTransition['messages'][number];

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
  #stepNo = 0;
  #isInStep = false;
  #isCompacting = false;
  #text = '';
  #total: RunEventPayloads['usage']['total'] = { inputTokens: 0, outputTokens: 0, costUsd: null };

  constructor(run: ProjectedRun) {
    this.#run = run;
  }

  /** The events of the next transition, in the order in which they happened; at least one. */
  next(transition: LoggedTransition, beside: Beside): RunEvent[] {
    const from = this.#path;
    this.#path = transition.path;
    const told = [
      ...this.#begun(transition),
      {
        event: 'state.changed',
        payload: { from, to: transition.path, event: transition.event.type },
      } as const,
      ...this.#decided(transition),
      ...transition.messages.flatMap((message) => this.#message(message, transition)),
      ...this.#brokenOff(transition),
      ...this.#compaction(transition),
      ...this.#questions(transition, beside.questions),
      ...this.#step(from, transition),
      ...this.#ended(beside.end),
    ];
    const { seq, at, runId } = transition;
    return told.map(
      ({ event, payload }, index) =>
        ({ event, runId, seq, index, last: index === told.length - 1, at, payload }) as RunEvent,
    );
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
    const payload = { stepNo: this.#stepNo + 1, isSubagent, agentName: this.#agentName };
    return [{ event: 'step.begin', payload }];
  }

  #decided({ event }: LoggedTransition): Told[] {
    const { type, callId, verdict, reason, by, answer } = event;
    if ((type !== 'confirm.decide' && type !== 'tool.reconcile') || typeof callId !== 'number') return [];
    const said = {
      ...(typeof reason === 'string' && { reason }),
      ...(typeof by === 'string' && { by }),
    };
    return this.#resolved(callId, String(verdict), said, answer as Answer | undefined);
  }

  #resolved(
    call: number,
    verdict: string,
    said: { reason?: string; by?: string } = {},
    answer?: Answer,
  ): Told[] {
    const open = this.#calls.get(call);
    if (!open?.asked) return [];
    const { asked } = open;
    open.asked = null;
    const callId = callName(call);
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
    const given = answer === undefined ? {} : { answer };
    const by = said.by === undefined ? {} : { by: said.by };
    return [
      {
        event: 'question.answered',
        payload: { callId, verdict: answer === undefined ? verdict : 'answer', ...given, ...by },
      },
    ];
  }

  #message(message: Message, transition: LoggedTransition): Told[] {
    if (message.role === 'user') return this.#said(message as unknown as UserBody);
    if (message.role === 'assistant') return this.#answer(message as unknown as AssistantBody, transition);
    if (message.role === 'withdrawn') return this.#usage(message as unknown as AssistantBody);
    if (message.role === 'tool') return this.#result(message as unknown as ToolBody, transition);
    if (message.role === 'summary') return this.#usage(message as unknown as SummaryBody);
    return [];
  }

  #said({ text: content, parts, job }: UserBody): Told[] {
    const brought = { ...(parts && { attachments: parts }), ...(job && { job: job.id }) };
    return [{ event: 'user.message', payload: { content, ...brought } }];
  }

  #answer(body: AssistantBody, { event }: LoggedTransition): Told[] {
    this.#isInStep = false;
    this.#stepNo += 1;
    this.#text = body.text;
    const { effectId, model, provider, text: content, reasoning, refusal, finishReason, error } = body;
    const said = { effectId, model: model || provider, content, reasoning, refusal, finishReason, error };
    const gates = gatesOf(event);
    const broken: Told[] = error
      ? [
          {
            event: 'step.interrupted',
            payload: { stepNo: this.#stepNo, effectId, isAskedAgain: false, error },
          },
        ]
      : [];
    const calls = error ? [] : body.toolCalls;
    return [
      { event: 'assistant.message', payload: { stepNo: this.#stepNo, ...said } },
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
    const resolved = this.#resolved(call, String(code ?? status).toLowerCase());
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
    const callId = callName(call);
    const runId = `${this.#run.runId}.${callId}`;
    return [{ event: 'subagent.started', payload: { callId, runId, agentName: agent } }];
  }

  #subagentEnded(call: number, isError: boolean): Told {
    const callId = callName(call);
    return { event: 'subagent.ended', payload: { callId, runId: `${this.#run.runId}.${callId}`, isError } };
  }

  #brokenOff({ event, messages }: LoggedTransition): Told[] {
    const isAskedAgain = this.#path === backingOff || this.#path === requesting;
    if (event.type !== 'model.failed' && event.type !== 'model.switched') return [];
    if (!this.#isInStep || !isAskedAgain) return [];
    const error = event.error as RunError;
    const effectId = Number(event.effectId);
    const words = messages.find(({ role }) => role === 'withdrawn') as AssistantBody | undefined;
    const withdrawn = words && { content: words.text, reasoning: words.reasoning };
    return [
      {
        event: 'step.interrupted',
        payload: { stepNo: this.#stepNo + 1, effectId, isAskedAgain, error, ...(withdrawn && { withdrawn }) },
      },
    ];
  }

  #compaction({ event, path, messages }: LoggedTransition): Told[] {
    const { type } = event;
    const told: Told[] = [];
    if (type === 'flush.done' || type === 'flush.failed') {
      const how = type === 'flush.failed' ? 'nothing' : String(event.how ?? 'model');
      const error = type === 'flush.failed' ? (event.error as RunError) : null;
      told.push({ event: 'memory.flush', payload: { how, lines: Number(event.lines ?? 0), error } });
    }
    const isCompacting = path.startsWith(compacting);
    if (isCompacting && !this.#isCompacting) told.unshift({ event: 'compaction.begin', payload: {} });
    if (!isCompacting && this.#isCompacting) {
      const error = type === 'compact.failed' ? (event.error as RunError) : null;
      const { text: summary } = (messages.find(({ role }) => role === 'summary') ??
        {}) as Partial<SummaryBody>;
      told.push({ event: 'compaction.end', payload: { error, ...(summary !== undefined && { summary }) } });
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
      const { name, arguments: raw, hash: argumentsHash, why, preview, question: words } = question;
      const shown = preview === undefined ? {} : { preview };
      const asked = { callId: callName(call), name, arguments: raw, argumentsHash, why, ...shown };
      if (kind === 'question' && words)
        return [{ event: 'question.asked', payload: { ...asked, question: words } }];
      if (kind === 'client') return [{ event: 'tool.client_request', payload: asked }];
      return kind === 'question' ? [] : [{ event: 'tool.confirm_request', payload: { ...asked, kind } }];
    });
  }

  #usage({ usage, costUsd }: Pick<AssistantBody, 'usage' | 'costUsd'>): Told[] {
    if (!usage && costUsd === null) return [];
    const call: Usage = { ...(usage ?? noTokens), costUsd };
    this.#total = {
      inputTokens: this.#total.inputTokens + call.inputTokens,
      outputTokens: this.#total.outputTokens + call.outputTokens,
      costUsd: costUsd === null ? this.#total.costUsd : (this.#total.costUsd ?? 0) + costUsd,
    };
    return [{ event: 'usage', payload: { call, total: { ...this.#total } } }];
  }

  #ended(end: EndOfRun | null): Told[] {
    if (!end) return [];
    const { status, outcome, error } = end;
    const payload = { status, outcome, content: this.#text };
    if (error && status === 'failed') return [{ event: 'lifecycle.error', payload: { ...payload, error } }];
    return [{ event: 'lifecycle.end', payload }];
  }

  get #agentName(): string {
    return this.#run.options.agent ?? 'default';
  }
}

type Gate = RunEventPayloads['tool.call']['decision'];

function gatesOf(event: LoggedTransition['event']): Map<number, Gate> {
  const calls = Array.isArray(event.calls) ? (event.calls as { callId: number; gate: Gate }[]) : [];
  return new Map(calls.map(({ callId, gate }) => [callId, gate]));
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
