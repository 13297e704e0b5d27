import { ClientError } from '../client/index.ts';
import { newId } from '../client/reading.ts';
import type { Backend } from './backend.ts';
import { type Agent, Engine } from './engine.ts';
import type { Tool } from './tool.ts';
import { Toolkit } from './toolkit.ts';

/** A client of one user, over any backend. */
export class DetentClient {
  readonly #backend: Backend;
  readonly #toolkit: Toolkit;
  readonly #engines = new Set<Engine>();
  readonly #report: (error: unknown) => void;
  #isClosed = false;

  /** @param report receives what a listener, a callback or a tool throws. Default: `console.error` */
  constructor(backend: Backend, report: (error: unknown) => void = console.error) {
    this.#backend = backend;
    this.#report = report;
    this.#toolkit = new Toolkit(backend, report);
  }

  /** @param sessionId the conversation to continue. Default: a new one */
  createEngine(agent: Agent = {}, sessionId: string = this.newSession()): Engine {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was shut down: make another one');
    const engine = new Engine({
      backend: this.#backend,
      agent,
      sessionId,
      toolkit: this.#toolkit,
      report: this.#report,
      engines: this.#engines,
    });
    this.#engines.add(engine);
    return engine;
  }

  destroyEngine(engine: Engine): void {
    engine.shutdown();
  }

  /** Returns an id for a new conversation. */
  newSession(): string {
    return `app-${newId()}`;
  }

  /** Makes later answers in the conversation forget what was said so far. */
  async clearSession(sessionId: string): Promise<void> {
    await this.#backend.clear(sessionId);
  }

  /** Registers a tool that the app performs. Runs that start afterwards have it. */
  registerTool(tool: Tool): void {
    this.#toolkit.register(tool);
  }

  /** Ends all engines, and closes what the backend opened. Runs continue. */
  shutdown(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const engine of [...this.#engines]) engine.shutdown();
    this.#backend.close();
  }
}

let current: DetentClient | null = null;

function client(): DetentClient {
  if (current === null) throw new ClientError('NOT_INITIALIZED', 'call DetentSdk.initialize first');
  return current;
}

/** The one {@link DetentClient} of an app. Before `initialize`, all functions but `shutdown` throw `NOT_INITIALIZED`. */
export const DetentSdk = {
  /** Creates the client. A second call ends the earlier client first. */
  initialize(backend: Backend, report?: (error: unknown) => void): void {
    current?.shutdown();
    current = new DetentClient(backend, report);
  },
  client,
  createEngine: (agent?: Agent, sessionId?: string): Engine => client().createEngine(agent, sessionId),
  destroyEngine: (engine: Engine): void => client().destroyEngine(engine),
  newSession: (): string => client().newSession(),
  clearSession: (sessionId: string): Promise<void> => client().clearSession(sessionId),
  registerTool: (tool: Tool): void => client().registerTool(tool),
  shutdown(): void {
    current?.shutdown();
    current = null;
  },
};
