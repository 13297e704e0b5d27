import type { RunHandle, RunView } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { breath } from '../../../text/limiter.ts';
import { decideHere } from '../../drive/decide-here.ts';
import { isEnded, reportEnd } from '../../drive/report-end.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { Composer } from './composer.ts';
import type { ChatConsole, ConsoleListener } from './console.ts';
import type { ChatHistory } from './history.ts';
import { LiveRun } from './live-run.ts';
import { attachmentList, performCommand } from './perform-command.ts';
import { type Input, unknownCommand } from './slash-command.ts';
import { type ChatState, newestRun, readInputOrSkill } from './state.ts';

const prompts = { idle: '> ', working: '» ', more: '… ' };

/** A chat with a person at a terminal. It shows one run at a time, and takes input all the while. */
export class Conversation implements ConsoleListener {
  readonly #state: ChatState;
  readonly #history: ChatHistory;
  readonly #composer = new Composer();
  readonly #over = Promise.withResolvers<number>();
  #console: ChatConsole | null = null;
  /** The run in progress, or one that waits for a decision here. */
  #run: RunHandle | null = null;
  /** A parked run whose question the person put off. The next message goes to it. */
  #parked: RunHandle | null = null;
  /** The pending cancellation of the run in progress; null without one. */
  #cancelling: Promise<unknown> | null = null;
  /** Whether another Ctrl-C leaves the chat. */
  #isArmed = false;
  #isOver = false;
  /** Resolves when the last run has been shown. Runs are shown one after the other. */
  #shown: Promise<unknown> = Promise.resolve();

  constructor(state: ChatState, history: ChatHistory) {
    this.#state = state;
    this.#history = history;
  }

  /** Runs the chat until the person leaves; returns the exit code. */
  async talk(screen: ChatConsole): Promise<number> {
    this.#console = screen;
    const { sessionId } = this.#state.request;
    screen.note(`Detent chat with ${this.#state.model}, session ${sessionId}. /help lists the commands.`);
    screen.prompt(prompts.idle);
    this.#guard(this.#resumeUnfinished());
    return this.#over.promise;
  }

  line(text: string): void {
    this.#isArmed = false;
    const message = this.#composer.push(text);
    if (message === null || message.trim() === '') {
      if (message !== null) this.#askAgain();
      this.#showPrompt();
      return;
    }
    this.#history.add(message);
    this.#screen.remember(this.#history.entries);
    this.#guard(readInputOrSkill(this.#state, message).then((input) => this.#take(input)));
  }

  #askAgain(): void {
    const parked = this.#parked;
    if (!parked || this.#run) return;
    this.#parked = null;
    this.#guard(this.#follow(parked, null));
  }

  interrupt(draft: string): boolean {
    if (this.#run) {
      this.#cancel(this.#run);
      return false;
    }
    const begun = this.#composer.drop();
    if (begun !== null || draft !== '') this.#isArmed = false;
    else if (this.#isArmed) this.left();
    else {
      this.#screen.note('(press Ctrl-C again, or Ctrl-D, to leave)');
      this.#isArmed = true;
    }
    this.#showPrompt();
    return begun !== null || draft !== '';
  }

  left(): void {
    this.#leave(exit.ok);
  }

  get #screen(): ChatConsole {
    if (!this.#console) throw new Error('the chat has not started yet');
    return this.#console;
  }

  async #take(input: Input): Promise<void> {
    if (input.kind === 'message') return this.#say(input.text);
    try {
      if (input.kind === 'unknown') this.#screen.note(unknownCommand(input));
      else if (input.name === 'quit') this.left();
      else if (input.name === 'cancel') await this.#cancelAny();
      else if (input.name === 'resume') await this.#resumeAny();
      else await this.#perform(input.name, input.argument);
    } finally {
      this.#showPrompt();
    }
  }

  async #perform(name: Parameters<typeof performCommand>[1], argument: string): Promise<void> {
    const isOfSession = name === 'clear' || name === 'compact' || (name === 'session' && argument !== '');
    if (isOfSession && this.#run)
      return this.#screen.note(
        'a run is in progress; wait for it, or /cancel it, before you change the session',
      );
    const { sessionId } = this.#state.request;
    this.#state.io.say(await performCommand(this.#state, name, argument));
    if (this.#state.request.sessionId === sessionId) return;
    this.#parked = null;
    await this.#resumeUnfinished();
  }

  /** Sends a message to the run in progress or the parked run; without one, starts a new run. */
  async #say(text: string): Promise<void> {
    const { port, request } = this.#state;
    const attachments = this.#state.attachments.splice(0);
    const run = this.#run;
    if (run) {
      try {
        this.#screen.note('· sent to the run, which reads it before its next step');
        await run.steer(text, { attachments });
        // The message also withdraws an open question.
        return this.#screen.withdraw();
      } catch (error) {
        // The run ended in the meantime: the message starts a new run.
        if (!DetentError.is(error) || error.code !== 'RUN_ENDED')
          throw this.#keepAttachments(attachments, error);
      }
    }
    const parked = this.#parked;
    this.#parked = null;
    const begun = port.run(text, { ...request, mode: parked ? 'steer' : 'queue', attachments });
    let isStored = false;
    begun.started.then(
      () => (isStored = true),
      () => {},
    );
    try {
      await this.#follow(begun, null);
    } catch (error) {
      if (isStored) throw error;
      this.#parked ??= parked;
      throw this.#keepAttachments(attachments, error);
    }
  }

  /** Keeps the attachments of a failed message for the next one, and prints the error; returns it. */
  #keepAttachments(attachments: ChatState['attachments'], error: unknown): unknown {
    if (attachments.length === 0 || !isHarmless(error)) return error;
    this.#state.attachments.unshift(...attachments);
    this.#state.io.complain(error);
    this.#screen.note(
      `kept for the next message: ${attachmentList(this.#state.attachments)}; drop with: /attach -`,
    );
    return error;
  }

  async #resumeAny(): Promise<void> {
    if (this.#run) return this.#screen.note('a run is in progress already');
    if (this.#parked) return this.#askAgain();
    const { port, request } = this.#state;
    const newest = await newestRun(port, request.sessionId);
    if (!newest || isEnded(newest)) return this.#screen.note('there is nothing to resume');
    await this.#resumeUnfinished();
  }

  /** Resumes and shows the runs that an earlier process left unfinished in the session. */
  async #resumeUnfinished(): Promise<void> {
    const { port, request, model } = this.#state;
    for (const runId of await port.resume({ sessionId: request.sessionId }, { ...request, model })) {
      if (this.#isOver) return;
      await this.#follow(port.attach(runId), await port.show(runId));
    }
  }

  #follow(run: RunHandle, before: RunView | null): Promise<void> {
    const following = this.#shown.then(() => this.#show(run, before));
    this.#shown = following.catch(() => {});
    return following;
  }

  /** Shows a run until it ends, or until the person puts it off. */
  async #show(run: RunHandle, before: RunView | null): Promise<void> {
    if (this.#isOver) return;
    this.#run = run;
    const shown = new LiveRun(this.#screen, Date.now(), before);
    const watcher = new AbortController();
    this.#screen.status('thinking');
    this.#showPrompt();
    try {
      const watching = watch(run, shown, watcher.signal);
      watching.catch(() => {});
      this.#state.lastRunId = await run.started;
      const view = await this.#settle(run);
      if (isEnded(view)) await watching;
      if (this.#isOver) return;
      await shown.end(view);
      this.#free();
      if (view.status === 'waiting') this.#putOff(run);
      else await reportEnd(this.#state.port, view, true, this.#state.io);
    } finally {
      watcher.abort();
      this.#free();
      if (!this.#isOver) {
        this.#screen.status(null);
        this.#screen.freshLine();
        this.#showPrompt();
      }
    }
  }

  #free(): void {
    this.#run = null;
    this.#cancelling = null;
  }

  /** Asks the person until the run needs no decision, or the person puts it off. */
  async #settle(run: RunHandle): Promise<RunView> {
    for (;;) {
      const view = await run.result;
      if (view.status !== 'waiting' || this.#isOver) return view;
      // Lets the screen show the signals that led to the question before the question.
      await breath();
      const decided = await decideHere(this.#state.port, run, view, this.#state.io, this.#screen);
      if (decided === 'later' || this.#isOver) return view;
      if (decided === 'interrupted') await this.#cancel(run);
    }
  }

  #putOff(run: RunHandle): void {
    this.#parked = run;
    this.#screen.note('put off: Enter asks again, a message withdraws the question, /cancel cancels the run');
  }

  async #cancelAny(): Promise<unknown> {
    if (this.#run) return this.#cancel(this.#run);
    const parked = this.#parked;
    this.#parked = null;
    if (!parked) return this.#screen.note('there is nothing to cancel');
    const isCancelled = await parked.cancel('cancelled from the chat');
    return this.#screen.note(isCancelled ? `run ${parked.runId} was cancelled` : 'the run has already ended');
  }

  /** Cancels the run. A second call leaves the chat once the cancellation is stored, without waiting for the run to end. */
  #cancel(run: RunHandle): Promise<unknown> {
    if (this.#cancelling) {
      this.#leave(exit.cancelled);
      return this.#cancelling;
    }
    this.#isArmed = true;
    this.#screen.note('cancelling; press Ctrl-C again to leave');
    this.#cancelling = run.cancel('interrupted from the terminal').catch(this.#state.io.complain);
    return this.#cancelling;
  }

  #leave(code: number): void {
    if (this.#isOver) return;
    const cancelling = this.#cancelling;
    const run = cancelling ? null : (this.#run ?? this.#parked);
    this.#close(run?.runId ?? null);
    void Promise.resolve(cancelling).then(() => this.#over.resolve(code));
  }

  #close(unfinished: string | null): void {
    this.#isOver = true;
    this.#screen.close();
    const { request, lastRunId } = this.#state;
    const command = `${this.#state.io.program} chat --session ${shellWord(request.sessionId)}`;
    if (unfinished !== null)
      this.#state.io.say(`run ${unfinished} is not finished: resume it with: ${command}`);
    else if (lastRunId !== null) this.#state.io.say(`continue the conversation with: ${command}`);
  }

  #showPrompt(): void {
    if (this.#isOver) return;
    if (this.#composer.isOpen) this.#screen.prompt(prompts.more);
    else this.#screen.prompt(this.#run ? prompts.working : prompts.idle);
  }

  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#isOver) return;
      if (isHarmless(error)) return this.#state.io.complain(error);
      this.#close(this.#state.lastRunId);
      this.#over.reject(error);
    });
  }
}

/** Whether the chat can continue after an error: not when its database is gone. */
function isHarmless(error: unknown): boolean {
  return DetentError.is(error) && error.code !== 'CLOSED' && !error.code.startsWith('DATABASE_');
}

async function watch(run: RunHandle, shown: LiveRun, stop: AbortSignal): Promise<void> {
  for await (const signal of run.events) {
    // Another watcher may show a parked run later.
    if (stop.aborted) return;
    shown.signal(signal);
  }
}
