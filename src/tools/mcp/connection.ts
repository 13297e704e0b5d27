import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { type ToolContext, ToolFailure } from '../../protocol/tool.ts';
import { offText } from '../../protocol/views.ts';
import { attempt } from '../calls/attempt.ts';
import {
  type ConnectionHost,
  httpStatusOf,
  type ListedTool,
  NotConnected,
  type OpenServer,
  openServer,
} from './connect.ts';
import type { AskPerson } from './elicitation.ts';
import type { Pins } from './pins.ts';
import { untrustedHead } from './result.ts';
import type { McpServer } from './server.ts';

export interface Backoff {
  firstMs: number;
  maxMs: number;
}

interface ConnectionOptions extends ConnectionHost {
  pins: Pins;
  backoff: Backoff;
  redact(text: string): string;
}

const errorChars = 1_000;

/**
 * The connection to one server. It connects on first use, and reconnects with exponential backoff after a loss. While
 * the server is away its tools stay listed, so that prompts do not change.
 */
export class McpConnection {
  readonly server: McpServer;
  readonly #options: ConnectionOptions;
  readonly #calls = new Set<ToolContext>();
  #open: OpenServer | null = null;
  #opening: Promise<void> | null = null;
  #relisting: Promise<void> | null = null;
  #isStale = false;
  /** Aborted by `close`. */
  readonly #closing = new AbortController();
  /** Connections that are closing; `close` awaits them. They never reject. */
  readonly #ending = new Set<Promise<void>>();
  #failures = 0;
  #retryAt = 0;
  #problem: string | null = null;
  #tools: readonly ListedTool[] | null = null;
  #changed: ReadonlySet<string> = new Set();

  constructor(server: McpServer, options: ConnectionOptions) {
    this.server = server;
    this.#options = options;
  }

  /** The tools of the last list; null before the first. A new array only after a change. */
  get tools(): readonly ListedTool[] | null {
    return this.#tools;
  }

  /** Why it cannot be used at the moment; null when it can, or before the first attempt. */
  get problem(): string | null {
    return this.#problem;
  }

  get about(): OpenServer['about'] | null {
    return this.#open?.about ?? null;
  }

  isChanged(tool: string): boolean {
    return this.#changed.has(tool);
  }

  /**
   * Updates the list of tools, within the connect timeout; never rejects. A server that failed before is retried in the
   * background, so that a run does not wait for it twice.
   */
  async refresh(): Promise<void> {
    if (this.#open) {
      if (this.#isStale) await this.#relist();
      return;
    }
    if (this.#tools || this.#closing.signal.aborted || this.#retryAt > performance.now()) return;
    const opening = this.#connect();
    if (this.#failures === 0) await opening;
  }

  /**
   * Calls a tool; connects first if needed.
   *
   * @throws ToolFailure `MCP_UNAVAILABLE`, `MCP_DISCONNECTED`, `MCP_ERROR` when the server refuses the call,
   * `TOOL_CHANGED`, `UNKNOWN_TOOL`; the signal's reason.
   */
  async call(tool: string, args: Record<string, unknown>, ctx: ToolContext): Promise<CallToolResult> {
    for (let mayRepeat = true; ; mayRepeat = false) {
      const open = await this.#connected(tool);
      this.#calls.add(ctx);
      try {
        return await open.call(tool, args, {
          signal: ctx.signal,
          onProgress: (at) => ctx.progress(progressText(at)),
        });
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (!mayRepeat || !isLostSession(error)) throw this.#failure(tool, error, open);
      } finally {
        this.#calls.delete(ctx);
      }
      // The server does not know our session, so it did not take the call: it was restarted, for example.
      this.#lose(open, 'the session was lost');
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening;
    if (this.#open) this.#lose(this.#open, 'it was closed');
    await Promise.all(this.#ending);
  }

  /** @throws ToolFailure as {@link call}. */
  async #connected(tool: string): Promise<OpenServer> {
    if (!this.#open && this.#retryAt <= performance.now()) await this.#connect();
    if (this.#isStale) await this.#relist();
    const { name } = this.server;
    if (!this.#open)
      throw new ToolFailure(
        'MCP_UNAVAILABLE',
        `MCP server ${JSON.stringify(name)} cannot be reached: ${this.#problem}`,
      );
    if (this.isChanged(tool)) throw new ToolFailure('TOOL_CHANGED', changedText(name, tool));
    if (!this.#tools?.some((listed) => listed.name === tool))
      throw new ToolFailure(
        'UNKNOWN_TOOL',
        `MCP server ${JSON.stringify(name)} has no tool ${JSON.stringify(tool)} any more`,
      );
    return this.#open;
  }

  #connect(): Promise<void> {
    this.#opening ??= this.#tryToConnect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #tryToConnect(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { server } = this;
    let made: OpenServer | null = null;
    const work = async (signal: AbortSignal) => {
      const events = this.#events(() => made);
      made = await openServer(server, this.#options, events, signal);
      // Too late: the caller has gone, so close the connection here.
      if (signal.aborted) await made.close();
      else await this.#list(made, signal);
    };
    let working = Promise.resolve();
    const ended = await attempt(
      (signal) => {
        working = work(signal);
        return working;
      },
      server.connectTimeoutMs,
      this.#closing.signal,
    );
    const open = made as OpenServer | null;
    if (ended.ended === 'returned' && open) {
      this.#open = open;
      this.#failures = 0;
      this.#problem = null;
      return;
    }
    const why =
      ended.ended === 'threw'
        ? connectionFailure(ended.error)
        : `it did not answer within ${server.connectTimeoutMs / 1000} s`;
    this.#end(working);
    if (open) this.#end(open.close());
    this.#fail(why);
  }

  #events(made: () => OpenServer | null) {
    return {
      onClose: () => this.#lose(made(), 'it has ended'),
      onToolsChanged: () => {
        this.#isStale = true;
      },
      // The protocol does not say which call a log message belongs to.
      onLog: (message: string) => {
        for (const { log } of this.#calls) log(message.slice(0, errorChars), { server: this.server.name });
      },
      personToAsk: () => this.#personToAsk(),
    };
  }

  /**
   * The protocol does not say to which call a question belongs. While calls of several runs are under way this returns
   * null, because the user of another run could get the question.
   */
  #personToAsk(): AskPerson | null {
    const calls = [...this.#calls];
    const newest = calls.at(-1);
    return calls.every(({ runId }) => runId === newest?.runId) ? (newest?.ask ?? null) : null;
  }

  async #relist(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    this.#relisting ??= (async () => {
      this.#isStale = false;
      const ended = await attempt(
        (signal) => this.#list(open, signal),
        this.server.connectTimeoutMs,
        this.#closing.signal,
      );
      // Keep the last list, and list again the next time.
      if (ended.ended !== 'returned') this.#isStale = true;
    })().finally(() => {
      this.#relisting = null;
    });
    await this.#relisting;
  }

  async #list(open: OpenServer, signal: AbortSignal): Promise<void> {
    const listed = await open.list(signal);
    const names = new Set<string>();
    const tools = listed
      .filter(({ name }) => !names.has(name) && names.add(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const changed = await this.#options.pins.check(this.server.name, tools);
    const isSame =
      JSON.stringify([this.#tools, [...this.#changed]]) === JSON.stringify([tools, [...changed]]);
    if (isSame) return;
    this.#tools = tools;
    this.#changed = changed;
  }

  /** Drops a lost connection; the next call makes a new one. */
  #lose(open: OpenServer | null, why: string): void {
    if (open === null || open !== this.#open) return;
    this.#open = null;
    this.#problem = why;
    this.#end(open.close());
  }

  /** Runs in the background; `close` awaits it. */
  #end(work: Promise<void>): void {
    const ended: Promise<void> = work.catch(() => {}).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #fail(why: string): void {
    const { firstMs, maxMs } = this.#options.backoff;
    const pauseMs = Math.min(firstMs * 2 ** this.#failures, maxMs);
    this.#failures++;
    this.#retryAt = performance.now() + pauseMs;
    this.#problem = this.#options.redact(why);
  }

  #failure(tool: string, error: unknown, open: OpenServer): DetentError {
    const { name } = this.server;
    const server = `MCP server ${JSON.stringify(name)}`;
    if (isAnswered(error) || isInvalid(error)) {
      const what = isInvalid(error) ? 'sent a result that cannot be read' : 'refused the call';
      const words = this.#options.redact(messageOf(error)).slice(0, errorChars);
      return new ToolFailure('MCP_ERROR', `${server} ${what}\n${untrustedHead(name, tool)}\n${words}`);
    }
    const reason = this.#options.redact(connectionFailure(error)).slice(0, errorChars);
    if (isLoginNeeded(error)) return new ToolFailure(loginNeeded, `${server}: ${reason}`);
    this.#lose(open, reason);
    return new ToolFailure(
      'MCP_DISCONNECTED',
      `${server} was lost during the call (${reason}); the call may have taken effect all the same`,
    );
  }
}

/** Why a changed tool is refused, and how to accept it. */
export function changedText(server: string, tool: string): string {
  return offText('tool_changed', { server, tool, command: `detent mcp allow ${server} ${tool}` });
}

/** A protocol error: the server received the call and answered it. */
function isAnswered(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'number';
}

/** The server's answer does not conform to the protocol; the call was made. */
function isInvalid(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'INVALID_RESULT' || code === 'UNSUPPORTED_RESULT_TYPE';
}

function isLostSession(error: unknown): boolean {
  const status = httpStatusOf(error);
  return status === 404 || status === 400;
}

const loginNeeded = 'MCP_LOGIN_NEEDED';

function isLoginNeeded(error: unknown): boolean {
  if (DetentError.is(error)) return error.code === loginNeeded;
  return httpStatusOf(error) === 401 || (error as Error | null)?.name === 'UnauthorizedError';
}

function connectionFailure(error: unknown): string {
  const cause = error instanceof NotConnected ? error.cause : error;
  if (DetentError.is(cause)) return cause.message;
  if (isLoginNeeded(cause))
    return 'it wants a login or a key: send one in "headers", or run "detent mcp login NAME"';
  const inner = (cause as { cause?: { code?: unknown } } | null)?.cause?.code;
  const words = messageOf(error)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' | ');
  return typeof inner === 'string' ? `${words} (${inner})` : words;
}

function progressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${message} (${share})` : share;
}
