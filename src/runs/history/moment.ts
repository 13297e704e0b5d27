import { takeMessages } from '../../engine/log.ts';
import { allowedCommands, type MachineHosts, pathOf, restore } from '../../engine/machine.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow } from '../../store/rows.ts';
import { callName } from '../../store/stored-call.ts';
import { parseMessage } from '../../store/stored-message.ts';
import { isWorkflowRun } from '../../store/stored-run.ts';
import { allowedToPeople } from '../decisions/decisions.ts';
import { type NameOf, namesOf, serviceOf, timerName } from '../flows/flow-names.ts';
import { conversationOf } from '../story/conversation-view.ts';
import { pendingOf } from '../story/pending-view.ts';
import { questionsAt } from './fork-rows.ts';
import { headOf, loadAt, type Place, runsBefore } from './load-at.ts';

/** A run as it stood after one of its transitions. */
export interface RunMoment extends MethodOutput<'run.at'> {}

/** An effect without a result. `held` waits for a decision or its turn. */
export type MomentEffect = RunMoment['effects'][number];

/** Computes a {@link RunMoment} by folding the log; only reads. @throws DetentError as `loadAt` does. */
export function* momentOf(
  hosts: MachineHosts,
  place: Place,
  redact: (text: string) => string,
): Program<RunMoment> {
  const loaded = yield* loadAt(hosts, place, redact);
  const { row, was, messages } = loaded;
  const { calls } = loaded.story;
  const { version, state, context } = was;
  const host = hosts.of({ ...row, version });
  const questions = yield* questionsAt(loaded, redact);
  const effects = [...was.effects].flatMap(([n, { name, params, status }]): MomentEffect[] => {
    if (status === 'done' || status === 'cancelled') return [];
    const call = calls.get(n);
    const service = serviceOf(params);
    const named = {
      ...(call && { callId: callName(n), tool: call.name }),
      ...(service !== null && { service }),
    };
    return [{ effect: n, name, status, ...named }];
  });
  const nameOf: NameOf | null = isWorkflowRun(row)
    ? namesOf([...was.effects].map(([n, { params }]) => ({ n, params })))
    : null;
  const before = yield* runsBefore(row);
  const conversation: MessageRow[] = [];
  for (const run of before) conversation.push(...(yield* takeMessages(run, run.seq)));
  conversation.push(...messages);
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    seq: was.seq,
    lastSeq: row.seq,
    at: was.at,
    path: pathOf(JSON.parse(state)),
    ended: was.ended,
    context: JSON.parse(context) as JsonObject,
    messages: conversationOf(
      [...before, row],
      conversation.map(parseMessage),
      yield* headOf(row, conversation),
    ),
    pending: pendingOf(questions),
    effects,
    timers: [...was.timers.values()]
      .map(({ event, dueAt }) => ({ event, dueAt, ...labelOf(event, nameOf) }))
      .sort((a, b) => a.dueAt - b.dueAt),
    legal: allowedToPeople(
      allowedCommands(host, restore(host, { id: row.id, version, state, context })),
      questions,
      row,
    ),
  };
}

function labelOf(event: string, nameOf: NameOf | null): { label?: string } {
  const label = nameOf && timerName(event, nameOf);
  return label ? { label } : {};
}
