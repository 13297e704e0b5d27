import type { GrantView, PendingView, QuestionField, QuestionView, RunHandle, RunView } from '../../index.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { parseJson } from '../../protocol/json.ts';
import { type LogEvent, settlesQuestions } from '../../store/stored-call.ts';
import { printableJson, unhidden } from '../../text/wording.ts';
import type { Port } from '../port/port.ts';
import type { Asked, Io } from '../terminal/io.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { Text } from '../terminal/styled.ts';
import { questionLines, typedAnswer, typedValue } from '../terminal/todo-and-question.ts';
import { editorOf, editText } from './edit-json.ts';
import { pretty, type ShownCall, showCall } from './show-call.ts';

/** What the person did with the open questions: decided all, put one off for later, or pressed Ctrl-C. */
type Decided = 'all' | 'later' | 'interrupted';

/** Asks a person, on whatever terminal interface is in use. */
export interface Person {
  /** Shows lines. */
  show(text: Text): void;
  /** @param prefilled text on the line, for the person to edit. */
  ask(question: string, prefilled?: string): Promise<Asked>;
  /** Ends an open question without an answer; it may have been decided elsewhere. */
  withdraw(): void;
  /** Gives the terminal, and Ctrl-C, to another program for as long as `work` takes. */
  lend<T>(work: () => Promise<T>): Promise<T>;
}

type Choice = 'leave' | 'interrupt' | 'again' | 'done' | 'withdrawn';

/** The person at the terminal of the command. */
function personAt({ stderr, askLine, lend }: Io): Person {
  let open = new AbortController();
  return {
    show: (text) => void stderr.write([text, '\n']),
    ask(question, prefilled) {
      open = new AbortController();
      return askLine(question, prefilled, open.signal);
    },
    withdraw: () => open.abort(),
    lend,
  };
}

/** Asks about every open call of a run. */
export async function decideHere(
  port: Port,
  handle: RunHandle,
  view: RunView,
  io: Io,
  person: Person = personAt(io),
): Promise<Decided> {
  if (view.waitsFor !== undefined) {
    const below = await port.show(view.waitsFor);
    return decideHere(port, port.attach(view.waitsFor), below, io, person);
  }
  const stop = port.on(handle.runId, ({ type, event }) => {
    // In another process, or by its expiry. While a decision of this person is stored, no question is open.
    if (type === 'transition' && settlesQuestions.has((event as LogEvent).type)) person.withdraw();
  });
  try {
    return await decideAll(port, handle, view, io, person);
  } finally {
    stop();
  }
}

async function decideAll(
  port: Port,
  handle: RunHandle,
  view: RunView,
  io: Io,
  person: Person,
): Promise<Decided> {
  for (const pending of view.pending) {
    // The run below is asked about itself, as what this one waits for.
    if (pending.runId !== undefined) continue;
    const { text, isCut } = pending.question ? showQuestion(pending.question) : showCall(pending);
    person.show(['\n', text]);
    const decision = new Decision(port, handle, pending, person, isCut, io);
    let choice: Choice = 'again';
    while (choice === 'again') choice = await decision.ask();
    if (choice === 'leave') return 'later';
    if (choice === 'interrupt') return 'interrupted';
    if (choice === 'withdrawn') break;
  }
  return 'all';
}

/** Uncut, because the person has to answer it. */
function showQuestion(question: QuestionView): ShownCall {
  return { text: questionLines(question).map(unhidden).join('\n'), isCut: false };
}

/** One question about one call. */
class Decision {
  readonly #port: Port;
  readonly #handle: RunHandle;
  readonly #pending: PendingView;
  readonly #person: Person;
  /** Whether the call was shown shortened. */
  readonly #isCut: boolean;
  /** Values typed into a form. After a rejected form they prefill the next attempt. */
  readonly #typed = new Map<string, string>();
  readonly #io: Io;

  constructor(port: Port, handle: RunHandle, pending: PendingView, person: Person, isCut: boolean, io: Io) {
    this.#io = io;
    this.#port = port;
    this.#handle = handle;
    this.#pending = pending;
    this.#person = person;
    this.#isCut = isCut;
  }

  async ask(): Promise<Choice> {
    try {
      if (this.#pending.question) return await this.#answer(this.#pending.question);
      if (this.#pending.kind === 'client') return await this.#giveResult();
      return this.#pending.kind === 'confirm' ? await this.#confirm() : await this.#reconcile();
    } catch (error) {
      if (error instanceof Unanswered) return error.choice;
      if (!DetentError.is(error) || error.code.startsWith('DATABASE_')) throw error;
      this.#person.show(messageOf(error));
      // A rejected answer or rejected arguments leave the question open; these two codes mean that it is closed.
      return error.code === 'NOT_WAITING' || error.code === 'NOT_FOUND' ? 'done' : 'again';
    }
  }

  async #confirm(): Promise<Choice> {
    const { callId, argumentsHash: hash, reason, asIs = false } = this.#pending;
    const view = this.#isCut ? '[v]iew all, ' : '';
    // Calls that depend on untrusted text, and questions of workflows, ask every time: a grant does not cover them.
    const mayGrant = !asIs && reason?.code !== 'taint';
    const session = mayGrant ? 'for this [s]ession, ' : '';
    const edit = asIs ? '' : '[e]dit, ';
    const question = `[a]pprove, ${session}[r]eject, ${edit}${view}[l]ater? `;
    const answer = await this.#read(question);
    if (isOneOf(answer, 'approve', 'yes')) await this.#handle.confirm(callId, { verdict: 'approve', hash });
    else if (mayGrant && isOneOf(answer, 'session')) {
      await this.#handle.confirm(callId, { verdict: 'approve', hash, grant: {} });
      await this.#showGrant(callId);
    } else if (isOneOf(answer, 'reject', 'no')) {
      const reason = await this.#readMore('why (may be empty)? ');
      await this.#handle.confirm(callId, { verdict: 'reject', hash, ...(reason && { reason }) });
    } else if (!asIs && isOneOf(answer, 'edit', 'modify')) return this.#edit(callId, hash);
    else if (isOneOf(answer, 'view')) {
      this.#person.show(showCall(this.#pending, true).text);
      return 'again';
    } else return this.#leaveOrExplain(answer, question);
    return 'done';
  }

  /** Shows the pattern of the new grant, since it allows more than this call. */
  async #showGrant(callId: string): Promise<void> {
    const { runId } = this.#handle;
    const { sessionId } = await this.#port.show(runId);
    const { grants } = await this.#port.ask('grant.list', { sessionId });
    const grant = grants.find((known) => known.runId === runId && known.callId === callId);
    if (!grant) return;
    const { n, tool, pattern } = grant;
    const revoke = `${this.#io.program} sessions grants ${shellWord(sessionId)} --revoke ${n}`;
    this.#person.show(
      `· allowed from now on in this session: ${unhidden(`${tool} ${plainPattern(pattern)}`)} (revoke it with: ${revoke})`,
    );
  }

  /** An empty line puts the question off. */
  async #answer(question: QuestionView): Promise<Choice> {
    const { callId, argumentsHash: hash } = this.#pending;
    if (question.fields) return this.#fillIn(question.fields);
    const hint = question.options ? `your choice${question.multiple ? 's, with commas' : ''}` : 'your answer';
    const line = await this.#read(`${hint} (/no: do not answer, empty: later): `);
    if (line === '') return 'leave';
    if (line === '/no') await this.#handle.confirm(callId, { verdict: 'reject', hash });
    else await this.#handle.confirm(callId, { verdict: 'answer', hash, answer: typedAnswer(question, line) });
    return 'done';
  }

  /** In place of the client that performs the call. */
  async #giveResult(): Promise<Choice> {
    const { callId, argumentsHash: hash } = this.#pending;
    const question = 'the client performs it: [l]ater, [g]ive its result, [r]eject? ';
    const answer = await this.#read(question);
    if (isOneOf(answer, 'give')) {
      const result = await this.#readMore('its result (may be empty): ');
      await this.#handle.confirm(callId, { verdict: 'result', hash, result });
    } else if (isOneOf(answer, 'reject', 'no')) {
      const reason = await this.#readMore('why (may be empty)? ');
      await this.#handle.confirm(callId, { verdict: 'reject', hash, ...(reason && { reason }) });
    } else return this.#leaveOrExplain(answer, question);
    return 'done';
  }

  /** An empty line skips a field, or takes its default; `/no` and `/later` apply to the whole form. */
  async #fillIn(fields: readonly QuestionField[]): Promise<Choice> {
    const { callId, argumentsHash: hash } = this.#pending;
    this.#person.show('/no: do not answer, /later: later, empty: left out');
    const answer: Record<string, string | string[]> = {};
    for (const field of fields) {
      const { name, title = name } = field;
      const line = await this.#read(`${unhidden(title)}: `, this.#typed.get(name));
      if (line === '/later') return 'leave';
      if (line === '/no') {
        await this.#handle.confirm(callId, { verdict: 'reject', hash });
        return 'done';
      }
      this.#typed.set(name, line);
      if (line !== '') answer[name] = typedValue(field, line);
    }
    await this.#handle.confirm(callId, { verdict: 'answer', hash, answer });
    return 'done';
  }

  async #edit(callId: string, hash: string): Promise<Choice> {
    const { arguments: given } = this.#pending;
    const editor = editorOf(this.#io.env);
    const text =
      editor === null
        ? await this.#readMore('new arguments (JSON): ', oneLine(given))
        : await this.#person.lend(() => editText(editor, pretty(given)));
    const changed = parseJson(text);
    if (changed === undefined) throw new DetentError('INVALID_ARGUMENTS', 'the new arguments are not JSON');
    if (JSON.stringify(changed) === JSON.stringify(given)) {
      this.#person.show('nothing was changed');
      return 'again';
    }
    await this.#handle.confirm(callId, { verdict: 'modify', hash, arguments: text });
    return 'done';
  }

  async #reconcile(): Promise<Choice> {
    const { callId } = this.#pending;
    const { runId } = this.#handle;
    const { ask } = this.#port;
    const question = 'did it happen? [r]an, re[t]ry, [s]kip, [l]ater? ';
    const answer = await this.#read(question);
    if (isOneOf(answer, 'ran', 'yes')) {
      const result = await this.#readMore('what was its result (may be empty)? ');
      await ask('run.reconcile', { runId, callId, verdict: 'ran', ...(result && { result }) });
    } else if (isOneOf(answer, 'retry') || answer === 't')
      await ask('run.reconcile', { runId, callId, verdict: 'retry' });
    else if (isOneOf(answer, 'skip')) await ask('run.reconcile', { runId, callId, verdict: 'skip' });
    else return this.#leaveOrExplain(answer, question);
    return 'done';
  }

  #leaveOrExplain(answer: string, question: string): Choice {
    if (isOneOf(answer, 'later')) return 'leave';
    this.#person.show(lettersOf(question, answer));
    return 'again';
  }

  /** @throws Unanswered when the person leaves or interrupts. */
  async #read(question: string, prefilled?: string, interrupted: Choice = 'interrupt'): Promise<string> {
    const asked = await this.#person.ask(question, prefilled);
    if ('line' in asked) return asked.line.trim();
    const choices = { left: 'leave', interrupted, withdrawn: 'withdrawn' } as const;
    throw new Unanswered(choices[asked.end]);
  }

  /** Reads what an answer needs besides its letter. Ctrl-C goes back to the question. @throws Unanswered. */
  #readMore(question: string, prefilled?: string): Promise<string> {
    return this.#read(question, prefilled, 'again');
  }
}

/** A whole word or its first letter, in any case; also as an input method for Chinese writes letters. */
function isOneOf(answer: string, ...words: string[]): boolean {
  const said = answer.normalize('NFKC').toLowerCase();
  return words.some((word) => said === word || said === word[0]);
}

/** Says what a question takes, in Chinese to a person who typed Chinese. */
function lettersOf(question: string, typed: string): string {
  const letters = [...question.matchAll(/\[(\w)\]/g)].map(([, letter = '']) => letter);
  const last = letters.pop();
  return /\p{Script=Han}/u.test(typed)
    ? `请输入 ${letters.join('、')} 或 ${last}，再按 Enter；按 Ctrl-D 留到以后再答`
    : `type ${letters.join(', ')} or ${last}, then Enter; Ctrl-D leaves the question for later`;
}

/** Shows `{is: value}` as the value. */
function plainPattern(pattern: GrantView['pattern']): string {
  return JSON.stringify(pattern, (_, field: unknown) =>
    typeof field === 'object' && field !== null && 'is' in field ? field.is : field,
  );
}

function oneLine(given: unknown): string {
  // Characters that the terminal would take for keys are escaped.
  return printableJson(typeof given === 'string' ? given : JSON.stringify(given)).replaceAll(/[\n\t]/g, ' ');
}

class Unanswered extends Error {
  readonly choice: Choice;

  constructor(choice: Choice) {
    super('the question was not answered');
    this.choice = choice;
  }
}
