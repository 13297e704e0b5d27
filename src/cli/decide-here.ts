import type { Detent, PendingView, RunHandle, RunView } from '../index.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { parseJson } from '../protocol/json.ts';
import { say } from './say.ts';
import { Terminal } from './terminal.ts';

/** What the person did with the open questions: all answered, put off for later, or Ctrl-C. */
export type Decided = 'all' | 'later' | 'interrupted';

type Choice = 'leave' | 'interrupt' | 'again' | 'done';

/** Asks on the terminal about every open call of a run. */
export async function decideHere(detent: Detent, handle: RunHandle, view: RunView): Promise<Decided> {
  for (const pending of view.pending) {
    if (pending.kind === 'question') return 'later';
    say(`\n${pending.name} ${JSON.stringify(pending.arguments, null, 2)}\n(${pending.why})`);
    let choice: Choice = 'again';
    while (choice === 'again') choice = await askOnce(detent, handle, pending);
    if (choice === 'leave') return 'later';
    if (choice === 'interrupt') return 'interrupted';
  }
  return 'all';
}

async function askOnce(detent: Detent, handle: RunHandle, pending: PendingView): Promise<Choice> {
  try {
    return pending.kind === 'confirm'
      ? await askConfirm(handle, pending)
      : await askReconcile(detent, handle, pending);
  } catch (error) {
    if (error instanceof Unanswered) return error.choice;
    if (!DetentError.is(error) || error.code.startsWith('DATABASE_')) throw error;
    say(messageOf(error));
    // New arguments that do not fit leave the question open; anything else has closed it.
    return error.code === 'NOT_WAITING' || error.code === 'NOT_FOUND' ? 'done' : 'again';
  }
}

async function askConfirm(handle: RunHandle, { callId, argumentsHash: hash }: PendingView): Promise<Choice> {
  const answer = await ask('[a]pprove, [r]eject, [m]odify, [l]ater? ');
  if (isOneOf(answer, 'approve', 'yes')) await handle.confirm(callId, { verdict: 'approve', hash });
  else if (isOneOf(answer, 'reject', 'no')) {
    const reason = await ask('why (may be empty)? ');
    await handle.confirm(callId, { verdict: 'reject', hash, ...(reason && { reason }) });
  } else if (isOneOf(answer, 'modify')) {
    const text = await ask('new arguments (JSON): ');
    const changed = parseJson(text);
    if (changed === undefined) throw new DetentError('INVALID_ARGUMENTS', 'that is not JSON');
    await handle.confirm(callId, { verdict: 'modify', hash, arguments: text });
  } else return isOneOf(answer, 'later') ? 'leave' : 'again';
  return 'done';
}

async function askReconcile(detent: Detent, handle: RunHandle, { callId }: PendingView): Promise<Choice> {
  const answer = await ask('did it happen? [r]an, re[t]ry, [s]kip, [l]ater? ');
  if (isOneOf(answer, 'ran', 'yes')) {
    const result = await ask('what came of it (may be empty)? ');
    await detent.runs.reconcile(handle.runId, callId, { verdict: 'ran', ...(result && { result }) });
  } else if (isOneOf(answer, 'retry') || answer === 't')
    await detent.runs.reconcile(handle.runId, callId, { verdict: 'retry' });
  else if (isOneOf(answer, 'skip')) await detent.runs.reconcile(handle.runId, callId, { verdict: 'skip' });
  else return isOneOf(answer, 'later') ? 'leave' : 'again';
  return 'done';
}

/** A whole word or its first letter, in any case. */
function isOneOf(answer: string, ...words: string[]): boolean {
  const said = answer.toLowerCase();
  return words.some((word) => said === word || said === word[0]);
}

/** @throws Unanswered when the person leaves instead. */
async function ask(question: string): Promise<string> {
  const said = await new Terminal().ask(question);
  if ('line' in said) return said.line.trim();
  throw new Unanswered(said.end === 'left' ? 'leave' : 'interrupt');
}

class Unanswered extends Error {
  readonly choice: Choice;

  constructor(choice: Choice) {
    super('nobody answered');
    this.choice = choice;
  }
}
