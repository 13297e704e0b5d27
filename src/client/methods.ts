// Written by scripts/write-client-methods.ts from the gateway's own table; a test fails while it is out of date.

/** What each method of the gateway takes and returns. */
export interface GatewayMethods {
  /** Starts a run with a prompt, in a new or an existing session. */
  'agent.run': {
    input: {
      prompt: string;
      /** Default: a new session. */
      sessionId?: string;
      /** Instead of `sessionId`: goes on with the conversation as it stood at the end of this run. A second run after the same one gets a session of its own. */
      after?: string;
      /** In a busy session. Default: `queue`. */
      mode?: 'queue' | 'steer' | 'interrupt';
      agent?: string;
      /** The only tools the run may use, out of those of its agent. */
      tools?: string[];
      /** Tools that the client performs: the run waits for `client.result` when the model calls one. */
      clientTools?: Array<{
        name: string;
        description?: string;
        /** JSON Schema of type object. */
        parameters?: Record<string, unknown>;
      }>;
      /** `one`: the model may call one of them at a time. Default: `many`. */
      clientCalls?: 'one' | 'many';
      /** The only skills it may use, out of those of its agent. */
      skills?: string[];
      /** `all` lets every call run without a person, and needs the scope `approve`. */
      approve?: 'ask' | 'all' | 'none';
      /** JSON Schema that the last answer must fit. */
      output?: Record<string, unknown>;
      attachments?: Array<{
        id: string;
      } | {
        /** The bytes, in base64. */
        data: string;
        name?: string;
        mimeType?: string;
      }>;
      /** Words about the run, at most 16, which `run.get` shows. */
      metadata?: Record<string, string>;
      cache?: boolean;
      stream?: boolean;
      /** Needs the scope `admin`. */
      system?: string;
      /** Needs the scope `admin`. */
      model?: string;
      /** Needs the scope `admin`. */
      limits?: Record<string, unknown>;
      /** Needs the scope `admin`. */
      budget?: string;
      /** Over a connection: watch the run. Default true. */
      subscribe?: boolean;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      runId: string;
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Waits until the run has ended or needs a person, or the time is up. */
  'agent.wait': {
    input: {
      /** Id of a run. */
      runId: string;
      timeoutMs?: number;
    };
    output: {
      runId: string;
      sessionId: string;
      status: 'queued' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
      outcome: string | null;
      /** Of the last answer. */
      text: string;
      pending: Array<{
        kind: 'confirm' | 'question' | 'reconcile' | 'client';
        callId: string;
        [field: string]: unknown;
      }>;
      /** The commands that are legal now, for the buttons of a page. */
      allowed: Array<{
        type: string;
        [field: string]: unknown;
      }>;
      error: {
        code: string;
        message: string;
        retryable: boolean;
        [field: string]: unknown;
      } | null;
      /** Whether it has ended or cannot go on without a person; false when the time was up. */
      isSettled: boolean;
      [field: string]: unknown;
    };
  };
  /** Cancels the run. Repeating it does nothing. */
  'agent.cancel': {
    input: {
      /** Id of a run. */
      runId: string;
      reason?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False if it had ended before. */
      cancelled: boolean;
    };
  };
  /** Adds a message to the run. The next model call gets it. */
  'agent.steer': {
    input: {
      /** Id of a run. */
      runId: string;
      message: string;
      attachments?: Array<{
        id: string;
      } | {
        /** The bytes, in base64. */
        data: string;
        name?: string;
        mimeType?: string;
      }>;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      runId: string;
    };
  };
  /** Sends the events of the run from now on, after those since `afterSeq`. */
  'run.subscribe': {
    input: {
      /** Id of a run. */
      runId: string;
      /** The last `seq` of which the client has all events. */
      afterSeq?: number;
      /** `compact` joins pieces of answers. */
      events?: 'all' | 'compact';
    };
    output: {
      runId: string;
    };
  };
  /** Stops sending the events of the run. */
  'run.unsubscribe': {
    input: {
      /** Id of a run. */
      runId: string;
    };
    output: {
      /** Whether it was watched. */
      subscribed: boolean;
    };
  };
  /** Gives a sign of life. Pages cannot see those of the WebSocket itself. */
  'ping': {
    input: Record<string, never>;
    output: Record<string, never>;
  };
  /** Decides on a call that waits for a person. The first decision counts. */
  'tool.confirm': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Id of a call within its run, such as `c7`. */
      callId: string;
      verdict: 'approve' | 'reject' | 'modify';
      /** Of `reject`: the model gets it. */
      reason?: string;
      /** Of `modify`: the new arguments. */
      arguments?: Record<string, unknown>;
      /** Of `approve`: also approves calls like this one for the rest of the session. */
      grant?: {
        tool?: string;
        pattern?: Record<string, unknown>;
      };
      /** `argumentsHash` of what the person saw. */
      hash?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False when an earlier decision won. */
      applied: boolean;
      /** The one that counts. */
      verdict: string;
      /** Whether it is the one asked for. */
      stands: boolean;
      [field: string]: unknown;
    };
  };
  /** Answers a question of the run, or closes it unanswered. */
  'question.answer': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Id of a call within its run, such as `c7`. */
      callId: string;
      /** Words, the options that were chosen, or the values of a form. Left out: no answer. */
      answer?: string | string[] | Record<string, string | number | boolean | string[]>;
      /** `argumentsHash` of what the person saw. */
      hash?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False when an earlier decision won. */
      applied: boolean;
      /** The one that counts. */
      verdict: string;
      /** Whether it is the one asked for. */
      stands: boolean;
      [field: string]: unknown;
    };
  };
  /** Gives the result of a call of a client’s own tool, or closes it without one. The first result counts. */
  'client.result': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Id of a call within its run, such as `c7`. */
      callId: string;
      /** Any text, also none. Left out: the call is closed without a result. */
      result?: string;
      /** Of `result`: the call failed. Default false. */
      isError?: boolean;
      /** Without `result`: why, for the model. */
      reason?: string;
      /** `argumentsHash` of what the person saw. */
      hash?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False when an earlier decision won. */
      applied: boolean;
      /** The one that counts. */
      verdict: string;
      /** Whether it is the one asked for. */
      stands: boolean;
      [field: string]: unknown;
    };
  };
  /** Says what became of a call whose process died while it ran. */
  'run.reconcile': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Id of a call within its run, such as `c7`. */
      callId: string;
      verdict: 'ran' | 'retry' | 'skip';
      /** Of `ran`: what it returned. */
      result?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False when an earlier decision won. */
      applied: boolean;
      /** The one that counts. */
      verdict: string;
      /** Whether it is the one asked for. */
      stands: boolean;
      [field: string]: unknown;
    };
  };
  /** What people approved for the rest of the session. */
  'grant.list': {
    input: {
      /** Key of a session. */
      sessionId: string;
    };
    output: {
      grants: Array<Record<string, unknown>>;
    };
  };
  /** Takes one of them back. */
  'grant.revoke': {
    input: {
      /** Key of a session. */
      sessionId: string;
      grant: number;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      revoked: true;
    };
  };
  /** The run as it stands, with what is legal now. */
  'run.get': {
    input: {
      /** Id of a run. */
      runId: string;
    };
    output: {
      runId: string;
      sessionId: string;
      status: 'queued' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
      outcome: string | null;
      /** Of the last answer. */
      text: string;
      pending: Array<{
        kind: 'confirm' | 'question' | 'reconcile' | 'client';
        callId: string;
        [field: string]: unknown;
      }>;
      /** The commands that are legal now, for the buttons of a page. */
      allowed: Array<{
        type: string;
        [field: string]: unknown;
      }>;
      error: {
        code: string;
        message: string;
        retryable: boolean;
        [field: string]: unknown;
      } | null;
      [field: string]: unknown;
    };
  };
  /** Runs, newest first. */
  'run.list': {
    input: {
      /** Key of a session. */
      sessionId?: string;
      status?: Array<'queued' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled'>;
      /** Milliseconds since the epoch. */
      since?: number;
      limit?: number;
    };
    output: {
      runs: Array<{
        runId: string;
        sessionId: string;
        status: 'queued' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
        [field: string]: unknown;
      }>;
    };
  };
  /** The id of the run that a person means: an id, the beginning of one, or `last`. */
  'run.find': {
    input: {
      word: string;
    };
    output: {
      runId: string;
    };
  };
  /** The events of the run so far, after the transition `afterSeq`. */
  'run.events': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Number of a transition of the run. */
      afterSeq?: number;
    };
    output: {
      events: Array<{
        event: string;
        runId: string;
        seq: number;
        index: number;
        last: boolean;
        at: number;
        payload: Record<string, unknown>;
        [field: string]: unknown;
      }>;
    };
  };
  /** The transitions of the run with their messages, after the transition `afterSeq`. */
  'run.log': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Number of a transition of the run. */
      afterSeq?: number;
    };
    output: {
      transitions: Array<{
        seq: number;
        [field: string]: unknown;
      }>;
    };
  };
  /** Why the run is in its state, in plain words. */
  'run.why': {
    input: {
      /** Id of a run. */
      runId: string;
    };
    output: Record<string, unknown>;
  };
  /** Where two runs part, and how each ended. */
  'run.diff': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Id of a run. */
      otherRunId: string;
    };
    output: Record<string, unknown>;
  };
  /** The run as it stood after a transition: state, context, conversation, and what was legal then. */
  'run.at': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Number of a transition of the run. */
      seq: number;
    };
    output: {
      runId: string;
      seq: number;
      path: string;
      [field: string]: unknown;
    };
  };
  /** What a fork would be, and the effects that it would start, without making it. */
  'run.forkPreview': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Number of a transition of the run. */
      at: number;
      /** Replaces the newest message of the user. */
      editMessage?: string;
    };
    output: {
      runId: string;
      seq: number;
      path: string;
      [field: string]: unknown;
    };
  };
  /** A copy of the run as it stood after a transition, in a session of its own. */
  'run.fork': {
    input: {
      /** Id of a run. */
      runId: string;
      /** The last transition that the fork keeps; 0 keeps only the prompt. */
      at: number;
      /** Replaces the newest message of the user. */
      editMessage?: string;
      /** Needs the scope `admin`. */
      model?: string;
      /** Whether the fork goes on at once. */
      resume?: boolean;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      runId: string;
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Goes on with the unfinished runs of the run’s session. */
  'run.resume': {
    input: {
      /** Id of a run. */
      runId: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      runs: string[];
    };
  };
  /** Makes an empty session. A run needs none: it makes the session that it names. */
  'session.create': {
    input: {
      /** Default: a new key. */
      sessionId?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      sessionId: string;
    };
  };
  /** Sessions, newest first. */
  'session.list': {
    input: {
      status?: Array<'queued' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled'>;
      /** Milliseconds since the epoch. */
      since?: number;
      limit?: number;
    };
    output: {
      sessions: Array<{
        sessionId: string;
        [field: string]: unknown;
      }>;
    };
  };
  /** Searches the words of past conversations. */
  'session.search': {
    input: {
      query: string | string[];
      /** Default: 6. */
      limit?: number;
    };
    output: Record<string, unknown>;
  };
  /** A session with its runs and its conversation. */
  'session.get': {
    input: {
      /** Key of a session. */
      sessionId: string;
    };
    output: {
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Later prompts do not include what was said so far. The log keeps it. */
  'session.clear': {
    input: {
      /** Key of a session. */
      sessionId: string;
      /** Cancels an unfinished run of the session first. */
      force?: boolean;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** Messages. */
      cleared: number;
    };
  };
  /** Deletes all data of a session. */
  'session.delete': {
    input: {
      /** Key of a session. */
      sessionId: string;
      /** Cancels an unfinished run of the session first. */
      force?: boolean;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: Record<string, unknown>;
  };
  /** Stores a file for a message to come. Over HTTP the body may be the file itself. */
  'attachment.put': {
    input: {
      /** The bytes, in base64. */
      data: string;
      name?: string;
      /** Only a check: the type is detected from the bytes. */
      mimeType?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      id: string;
      mimeType: string;
      bytes: number;
      [field: string]: unknown;
    };
  };
  /** An image, a document or a long output that an event or a result names. Over HTTP: the file itself. */
  'artifact.read': {
    input: {
      id: string;
    };
    output: {
      /** The bytes, in base64. */
      data: string;
      mimeType: string;
      [field: string]: unknown;
    };
  };
  /** The skills that runs can use. Where the folders of skills are needs the scope `admin`. */
  'skill.list': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** The tools that runs can use, and which of them ask a person. */
  'tool.list': {
    input: Record<string, never>;
    output: {
      tools: Array<{
        name: string;
        [field: string]: unknown;
      }>;
    };
  };
  /** Searches the memory of the tenant. */
  'memory.search': {
    input: {
      query: string | string[];
      /** Default: 6. */
      limit?: number;
    };
    output: Record<string, unknown>;
  };
  /** Lines of a memory file. */
  'memory.get': {
    input: {
      /** `MEMORY.md`, or a Markdown file under `memory/`. */
      path: string;
      line?: number;
      limit?: number;
    };
    output: {
      path: string;
      text: string;
      [field: string]: unknown;
    };
  };
  /** The statechart of runs: states, transitions, guards. */
  'machine.get': {
    input: {
      name?: string;
      version?: number;
    };
    output: Record<string, unknown>;
  };
  /** Where to draw the statechart’s states and edges. */
  'machine.layout': {
    input: {
      name?: string;
    };
    output: Record<string, unknown>;
  };
  /** The configuration in force, with every secret masked. */
  'config.get': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** Where each value of the configuration comes from. */
  'config.origins': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** Sums of model calls, tokens and costs: of the tenant, or of the user whom the token is bound to. */
  'usage.get': {
    input: {
      /** Key of a session. */
      sessionId?: string;
      /** Id of a run. */
      runId?: string;
      /** Milliseconds since the epoch. */
      from?: number;
      /** Milliseconds since the epoch. */
      to?: number;
      by?: 'day' | 'model' | 'session' | 'user' | 'run' | 'purpose';
      limit?: number;
    };
    output: Record<string, unknown>;
  };
}

/** What methods are called, behind the dot, that change nothing: they can be repeated. No other method is called so. */
export const readingVerbs: readonly string[] = 'wait subscribe unsubscribe ping list get find events log why diff at forkPreview search read layout origins'.split(' ');

/** What all others are called: they take an `idempotencyKey`. */
export const keyedVerbs: readonly string[] = 'run cancel steer confirm answer result reconcile revoke fork resume create clear delete put'.split(' ');
