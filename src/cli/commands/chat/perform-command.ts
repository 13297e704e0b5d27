import type { StepView, Usage } from '../../../index.ts';
import { addUsage, noTokens, sizeText } from '../../../protocol/content.ts';
import { DetentError } from '../../../protocol/error.ts';
import { type NamedBytes, attach as readAttachments, readFiles } from '../../../runtime/requests.ts';
import { randomId } from '../../../text/ids.ts';
import { checkRequestFlags } from '../../drive/check-request.ts';
import { continuedIn } from '../../drive/continue-session.ts';
import type { Port } from '../../port/port.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { indented } from '../../terminal/indented.ts';
import { describeWhy } from '../runs/history.ts';
import { describeCompaction } from '../sessions/change.ts';
import { type CommandName, help } from './slash-command.ts';
import { type ChatState, newestRun } from './state.ts';

/** The commands that need only the state; the others concern the run in progress. */
type StateCommand = Exclude<CommandName, 'cancel' | 'quit' | 'resume'>;

/**
 * Performs a command; returns the text to show.
 *
 * @throws DetentError for a bad argument: `UNKNOWN_MODEL`, `MISSING_KEY`, `INVALID_SESSION`, `UNKNOWN_AGENT`,
 * `ATTACHMENT_…`; `SESSION_BUSY`.
 */
export async function performCommand(
  state: ChatState,
  name: StateCommand,
  argument: string,
): Promise<string> {
  switch (name) {
    case 'help':
      return help();
    case 'model':
      return argument === '' ? showModel(state) : useModel(state, argument);
    case 'session':
      return argument === '' ? showSessions(state) : useSession(state, argument);
    case 'attach':
      return attach(state, argument);
    case 'usage':
      return describeUsage(state.request.sessionId, await sessionUsage(state.port, state.request.sessionId));
    case 'why':
      return explain(state);
    case 'clear':
      return clear(state);
    case 'compact':
      return compact(state);
    case 'tools':
      return tools(state);
    case 'skills':
      return skills(state);
    case 'memory':
      return memory(state, argument);
    case 'agent':
      return agent(state, argument);
  }
}

/** @throws DetentError `ATTACHMENT_NOT_FOUND`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED` */
async function attach(state: ChatState, argument: string): Promise<string> {
  if (argument === '-') state.attachments = [];
  else if (argument !== '') {
    const attachments = [...state.attachments, ...(await readFiles([argument], state.io.cwd))];
    // Reports an unusable file now, rather than with the next message.
    await readAttachments('', attachments, { workspace: null, maxPromptBytes: Number.POSITIVE_INFINITY });
    state.attachments = attachments;
  }
  const { attachments } = state;
  if (attachments.length === 0)
    return 'no file is attached to the next message; attach one with: /attach FILE';
  return `attached to the next message: ${attachmentList(attachments)}`;
}

/** `a.png (4 KB), b.txt (12 B)` */
export function attachmentList(attachments: readonly NamedBytes[]): string {
  return attachments.map(({ name, data }) => `${name} (${sizeText(data.length)})`).join(', ');
}

async function explain({ port, request, lastRunId }: ChatState): Promise<string> {
  const runId = lastRunId ?? (await newestRun(port, request.sessionId))?.runId;
  return runId === undefined
    ? 'this session has no runs yet'
    : describeWhy(await port.ask('run.why', { runId }));
}

function showModel({ model }: ChatState): string {
  return `the model is ${model}; use another with: /model PROVIDER/MODEL`;
}

async function useModel(state: ChatState, model: string): Promise<string> {
  const request = { ...state.request, model };
  state.model = checkRequestFlags(state.options, request).model;
  state.request = request;
  const at = request.baseUrl === undefined ? '' : ` at ${request.baseUrl}`;
  return `from the next message on: ${state.model}${at}`;
}

const maxSessions = 5;

async function showSessions({ port, request }: ChatState): Promise<string> {
  const { sessions } = await port.ask('session.list', { limit: maxSessions + 1 });
  const others = sessions.filter(({ sessionId }) => sessionId !== request.sessionId);
  const lines = others
    .slice(0, maxSessions)
    .map(({ sessionId, runs }) => `  ${sessionId}  (${runs === 1 ? '1 run' : `${runs} runs`})`);
  return [
    `the session is ${request.sessionId}; switch with: /session KEY, start a new one with: /session new`,
    ...lines,
  ].join('\n');
}

/** Another session has its own agent and model, where no flag names them; a new one keeps those of the chat. */
async function useSession(state: ChatState, key: string): Promise<string> {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(key))
    throw new DetentError('INVALID_SESSION', 'a session key is 1 to 200 characters');
  const sessionId = key === 'new' ? randomId('chat') : key;
  const { port, options, asked } = state;
  const isNew = (await newestRun(port, sessionId)) === undefined;
  // A new session is of no user, whomever that of before belongs to.
  const { principal: _, ...kept } = state.request;
  const request = isNew ? { ...kept, sessionId } : await continuedIn(port, sessionId, asked, 'chat');
  state.model = checkRequestFlags(options, request).model;
  state.request = request;
  state.lastRunId = null;
  const { agent } = request;
  return `the session is now ${sessionId}, with ${agent === undefined ? '' : `agent ${agent}, `}${state.model}`;
}

const maxShown = 70;

/** `/clear`. @throws DetentError `SESSION_BUSY`, `NOT_FOUND` before the first message. */
async function clear({ port, request }: ChatState): Promise<string> {
  const { cleared } = await port.ask('session.clear', { sessionId: request.sessionId, force: false });
  return `cleared: models no longer see the ${cleared} messages before this; the log keeps them`;
}

/** `/compact`. @throws DetentError `NOT_FOUND` before the first message. */
async function compact({ port, request, model }: ChatState): Promise<string> {
  return describeCompaction(await port.detent.sessions.compact(request.sessionId, { model }));
}

/** `/tools`: those that the next run may use. */
async function tools({ port, request }: ChatState): Promise<string> {
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
async function skills({ port }: ChatState): Promise<string> {
  const { skills } = (await port.ask('skill.list', {})).skills;
  const usable = skills.filter(({ off, forPeople }) => off === null && forPeople);
  if (usable.length === 0) return 'there are no skills; make one with: detent skills new NAME';
  const rows = usable.map(({ name, description }) => [`/${name}`, clipped(description, maxShown)]);
  return columns(rows).trimEnd();
}

/** `/memory WORDS`. */
async function memory({ port }: ChatState, words: string): Promise<string> {
  if (words === '') return 'search the memory with: /memory WORDS';
  const { results, reason } = await port.ask('memory.search', { query: words, limit: 3 });
  const found = results.map(
    ({ path, startLine, endLine, snippet }) => `${path}:${startLine}-${endLine}\n${indented(snippet)}`,
  );
  return [...found, ...(reason === null ? [] : [reason])].join('\n\n') || 'nothing was found';
}

/** `/agent NAME`: that agent from the next message on, with its own model unless the chat named one. */
function agent(state: ChatState, name: string): string {
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

/** The usage of a session so far. */
interface SessionUsage {
  runs: number;
  modelCalls: number;
  tokens: Usage;
  /** Calls without a known price; `tokens.costUsd` does not include them. */
  unpriced: number;
}

const maxRuns = 10_000;

/** Adds up the usage of a session's runs. */
async function sessionUsage({ ask, show }: Port, session: string): Promise<SessionUsage> {
  const { runs } = await ask('run.list', { sessionId: session, limit: maxRuns });
  const total: SessionUsage = {
    runs: runs.length,
    modelCalls: 0,
    tokens: { ...noTokens, costUsd: null },
    unpriced: 0,
  };
  for (const { runId } of runs) {
    const { usage, steps } = await show(runId);
    total.modelCalls += steps.length;
    total.unpriced += steps.filter(isUnpriced).length;
    total.tokens = addUsage(total.tokens, usage);
  }
  return total;
}

/** Usage as text; costs are in US dollars. */
export function describeUsage(session: string, { runs, modelCalls, tokens, unpriced }: SessionUsage): string {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, costUsd } = tokens;
  const cached = cachedInputTokens > 0 ? ` (${count(cachedInputTokens)} cached)` : '';
  const reasoning = reasoningTokens > 0 ? ` (${count(reasoningTokens)} reasoning)` : '';
  const missing =
    unpriced > 0 && costUsd !== null ? `, and ${some(unpriced, 'call')} without a known price` : '';
  return [
    `session  ${session}: ${some(runs, 'run')}, ${some(modelCalls, 'model answer')}`,
    `tokens   ${count(inputTokens)} in${cached}, ${count(outputTokens)} out${reasoning}`,
    `cost     ${costUsd === null ? 'unknown: no price is configured' : `$${costUsd.toFixed(4)}${missing}`}`,
  ].join('\n');
}

function isUnpriced({ usage }: StepView): boolean {
  return usage !== null && usage.costUsd === null;
}

function some(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
