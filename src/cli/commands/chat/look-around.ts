import { DetentError } from '../../../protocol/error.ts';
import { checkRequestFlags } from '../../drive/check-request.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { indented } from '../../terminal/indented.ts';
import { describeCompaction } from '../sessions/change.ts';
import type { ChatState } from './state.ts';

const maxShown = 70;

/** `/clear`. @throws DetentError `SESSION_BUSY`, `NOT_FOUND` before the first message. */
export async function clear({ port, request }: ChatState): Promise<string> {
  const { cleared } = await port.ask('session.clear', { sessionId: request.sessionId, force: false });
  return `cleared: models no longer see the ${cleared} messages before this; the log keeps them`;
}

/** `/compact`. @throws DetentError `NOT_FOUND` before the first message. */
export async function compact({ port, request, model }: ChatState): Promise<string> {
  return describeCompaction(await port.detent.sessions.compact(request.sessionId, { model }));
}

/** `/tools`: those that the next run may use. */
export async function tools({ port, request }: ChatState): Promise<string> {
  const found = (await port.ask('tool.list', {})).tools.filter(({ disabled }) => disabled === null);
  const rows = found.map(({ name, asks, description }) => [
    name,
    asks === null ? 'may ask' : asks ? 'asks' : '',
    clipped(description, maxShown),
  ]);
  const only = request.tools ? [`this chat uses only: ${request.tools.join(', ')}`] : [];
  return [...only, columns(rows).trimEnd()].join('\n');
}

/** `/skills`. */
export async function skills({ port }: ChatState): Promise<string> {
  const { skills } = (await port.ask('skill.list', {})).skills;
  const usable = skills.filter(({ off, forPeople }) => off === null && forPeople);
  if (usable.length === 0) return 'there are no skills; make one with: detent skills new NAME';
  const rows = usable.map(({ name, description }) => [`/${name}`, clipped(description, maxShown)]);
  return columns(rows).trimEnd();
}

/** `/memory WORDS`. */
export async function memory({ port }: ChatState, words: string): Promise<string> {
  if (words === '') return 'search the memory with: /memory WORDS';
  const { results, reason } = await port.ask('memory.search', { query: words, limit: 3 });
  const found = results.map(
    ({ path, startLine, endLine, snippet }) => `${path}:${startLine}-${endLine}\n${indented(snippet)}`,
  );
  return [...found, ...(reason === null ? [] : [reason])].join('\n\n') || 'nothing was found';
}

/** `/agent NAME`: that agent from the next message on, with its own model unless the chat named one. */
export function agent(state: ChatState, name: string): string {
  const { agents = {} } = state.options;
  const known = [...new Set(['default', ...Object.keys(agents)])];
  const present = state.request.agent ?? 'default';
  const isRemote = state.options.server !== undefined;
  if (name === '' && isRemote) return `the agent is ${present}; use another with: /agent NAME`;
  if (name === '')
    return `the agent is ${present}; there are ${known.join(', ')}; use another with: /agent NAME`;
  if (!isRemote && !known.includes(name))
    throw new DetentError('UNKNOWN_AGENT', `there is no agent "${name}"; there are ${known.join(', ')}`);
  const request = { ...state.request, agent: name };
  // The model of the agent before is not that of this one.
  if (request.baseUrl === undefined) delete request.model;
  state.model = checkRequestFlags(state.options, request).model;
  state.request = request;
  return `from the next message on: agent ${name}, ${state.model}`;
}
