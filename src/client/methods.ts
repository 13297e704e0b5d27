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
      status: 'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
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
  /** Says what became of a call whose process died while it ran, or that the original of a fork may have made. */
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
  /** What people approved for the rest of a session, in all sessions that the caller sees. */
  'grant.search': {
    input: Record<string, never>;
    output: {
      grants: Array<{
        sessionId: string;
        [field: string]: unknown;
      }>;
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
      status: 'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
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
      status?: Array<'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled'>;
      /** Milliseconds since the epoch. */
      since?: number;
      /** `provider/model`. */
      model?: string;
      /** In the first message, the id, or the key of the session. */
      words?: string;
      /** Each run has the states that it has been in, with how long. */
      course?: boolean;
      limit?: number;
    };
    output: {
      runs: Array<{
        runId: string;
        sessionId: string;
        status: 'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled';
        /** Of its statechart, as people know it: `thinking`, `awaitingConfirm`. */
        state: string;
        outcome: string | null;
        /** The id of its chart; its agent and model are empty. */
        workflow?: string;
        agent: string;
        model: string;
        /** The first words of its first message, or of the input of a workflow. */
        prompt: string;
        /** The tools that it asks about. */
        asks?: string[];
        error?: {
          code: string;
          message: string;
          [field: string]: unknown;
        };
        /** The states that it has been in, each with how long, in milliseconds. */
        course?: Array<unknown[]>;
        costUsd: number | null;
        createdAt: number;
        updatedAt: number;
        [field: string]: unknown;
      }>;
    };
  };
  /** What happened to all runs that the caller sees, behind a place: each transition once, in the order of the commits. */
  'feed.list': {
    input: {
      /** The `cursor` of a page or an event; 0 for the beginning. Default: the end. */
      after?: number;
      /** How long to wait for the first event, if there is none yet. */
      waitMs?: number;
    };
    output: {
      events: Array<{
        /** A place in what happens to the runs of a tenant. */
        cursor: number;
        runId: string;
        sessionId: string;
        workflow?: string;
        seq: number;
        at: number;
        /** The event of the statechart. */
        type: string;
        /** The state after it. */
        state: string;
        /** Whether the run waits for a person, or for its client, in this state. */
        waits: boolean;
        /** Whether the run has ended with it. */
        ended: boolean;
      }>;
      /** A place in what happens to the runs of a tenant. */
      cursor: number;
      /** Whether there is more already. */
      more: boolean;
    };
  };
  /** How many runs are in each state now, and how many ended in each since a time. Unfinished workflows are counted as `workflow`. */
  'run.counts': {
    input: {
      /** Milliseconds since the epoch. */
      since?: number;
    };
    output: {
      counts: Record<string, number>;
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
      /** There is more: ask again, after this transition. Only over frames, whose answers have a megabyte or so; over HTTP the answer has all, and is written as it is read. */
      nextAfterSeq?: number;
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
      /** There is more: ask again, after this transition. Only over frames, whose answers have a megabyte or so; over HTTP the answer has all, and is written as it is read. */
      nextAfterSeq?: number;
    };
  };
  /** What the machine did at each transition after `afterSeq`: its edges, guards and changes of context, and when each effect was at work. At most `limit` of them, fewer if they are large: ask again after the last one, up to `lastSeq`. */
  'run.trace': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Number of a transition of the run. */
      afterSeq?: number;
      limit?: number;
    };
    output: {
      runId: string;
      sessionId: string;
      machine: {
        name: string;
        version: number;
        hash: string | null;
        known: boolean;
        [field: string]: unknown;
      };
      lastSeq: number;
      ended: boolean;
      /** Transitions that agree with the machine in state and context, of those up to the end of the answer at least. */
      agrees: number;
      transitions: Array<{
        seq: number;
        at: number;
        event: {
          type: string;
          [field: string]: unknown;
        };
        /** Of a workflow: its event in the names of its chart. */
        label?: string;
        by: {
          kind: 'person' | 'effect' | 'timer' | 'system';
          [field: string]: unknown;
        };
        /** Its key in `ways`. */
        way: number;
        /** By key of the context: before and after. */
        changes: Record<string, unknown[]>;
        hash: string;
        [field: string]: unknown;
      }>;
      /** The ways of these transitions through the chart. */
      ways: Record<string, {
        from: string | string[];
        to: string | string[];
        /** Ids of the edges of `machine.layout`, in the order in which it took them. */
        edges: string[];
        guards: Array<{
          guard: string;
          holds: boolean;
          [field: string]: unknown;
        }>;
        [field: string]: unknown;
      }>;
      spans: Array<{
        id: number;
        effect: number;
        lane: 'model' | 'tools' | 'people' | 'host';
        label: string;
        seq: number;
        startedAt: number;
        endedAt: number | null;
        attempt: number;
        [field: string]: unknown;
      }>;
      [field: string]: unknown;
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
  /** How full the window of the run’s model was at its newest answer, in tokens; null if it is not known. */
  'run.context': {
    input: {
      /** Id of a run. */
      runId: string;
    };
    output: {
      context: {
        model: string;
        tokens: number;
        window: number;
        pruneAt: number;
        compactAt: number;
        [field: string]: unknown;
      } | null;
    };
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
      /** `transition`: only those that this transition wrote, not the whole conversation. */
      messages?: 'all' | 'transition';
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
      /** `all` lets every call run without a person, and needs the scope `approve`. */
      approve?: 'ask' | 'all' | 'none';
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
      status?: Array<'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled'>;
      /** Milliseconds since the epoch. */
      since?: number;
      limit?: number;
    };
    output: {
      sessions: Array<{
        sessionId: string;
        /** Of its first unfinished run, or its last one. */
        status: 'queued' | 'unstarted' | 'running' | 'waiting' | 'decided' | 'interrupted' | 'done' | 'failed' | 'cancelled' | null;
        /** Of that run. */
        state: string | null;
        /** The tools that it asks about. */
        asks?: string[];
        error?: {
          code: string;
          message: string;
          [field: string]: unknown;
        };
        /** The first words of its first message. */
        prompt: string;
        /** The first words of the last answer. */
        last: string;
        lastActivityAt: number;
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
  /** The workflows that can be started. */
  'workflow.list': {
    input: Record<string, never>;
    output: {
      workflows: Array<{
        id: string;
        version: number;
        hash: string;
        description: string;
        /** Event types that `workflow.send` takes. */
        events: string[];
        services: Array<{
          id: string;
          src: string;
          kind: string;
          [field: string]: unknown;
        }>;
        [field: string]: unknown;
      }>;
    };
  };
  /** A workflow: the events that it takes, and its services. */
  'workflow.get': {
    input: {
      /** The id of its chart. */
      workflow: string;
    };
    output: {
      id: string;
      version: number;
      hash: string;
      description: string;
      /** Event types that `workflow.send` takes. */
      events: string[];
      services: Array<{
        id: string;
        src: string;
        kind: string;
        [field: string]: unknown;
      }>;
      [field: string]: unknown;
    };
  };
  /** Starts a run of a workflow. */
  'workflow.start': {
    input: {
      /** The id of its chart. */
      workflow: string;
      /** As the workflow declares it. Default: null. */
      input?: unknown;
      /** What its services may spend together, within what the workflow declares. Needs the scope `admin`. */
      limits?: {
        maxTokens?: number;
        maxCostUsd?: number;
      };
      /** Needs the scope `admin`. */
      budget?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      runId: string;
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Sends a run of a workflow an event of its chart. */
  'workflow.send': {
    input: {
      /** Id of a run. */
      runId: string;
      /** Its other fields are its payload. */
      event: {
        type: string;
        [field: string]: unknown;
      };
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      /** False if the chart does not take it in the state that it is in. */
      taken: boolean;
    };
  };
  /** Answers what an invocation of a workflow asks a person, by its id in the chart. The first answer counts. */
  'workflow.answer': {
    input: {
      /** Id of a run. */
      runId: string;
      invocation: string;
      /** An answer; or a decision, which needs the scope `approve`. */
      answer: {
        /** Words, the options that were chosen, or the values of a form. */
        answer: string | string[] | Record<string, string | number | boolean | string[]>;
      } | {
        approved: boolean;
        reason?: string;
      } | {
        declined: true;
        reason?: string;
      };
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
  /** Scheduled jobs, in the order of their ids. */
  'cron.list': {
    input: {
      /** Only those behind this id. */
      afterJobId?: string;
      limit?: number;
    };
    output: {
      jobs: Array<{
        jobId: string;
        state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
        /** Why it stands still. */
        why: string | null;
        /** The schedule in English. */
        words: string;
        /** The schedule for other languages. */
        parts: Record<string, unknown> | null;
        /** Its next times; none while it stands still. */
        next: number[];
        /** The last run that ended. */
        last: {
          status: 'ok' | 'failed' | 'cancelled';
          [field: string]: unknown;
        } | null;
        /** Of its runs. */
        sessionId: string;
        [field: string]: unknown;
      }>;
    };
  };
  /** A job: its schedule in words, its next times, what it does now, how it ended last. */
  'cron.get': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Makes a job. Files and webhooks as targets, `limits` and `budget` need the scope `admin`. */
  'cron.add': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** Default true. */
      enabled?: boolean;
      /** A cron expression. A job has one of `cron`, `every` and `at`. */
      cron?: string;
      /** Of `cron`: `unix`, `quartz` or `robfig`. Default: by its signs. */
      dialect?: string;
      /** Of `cron`, such as `Europe/Berlin`. */
      timeZone?: string;
      /** An interval such as `15m`, or milliseconds. */
      every?: string | number;
      /** One time, with its offset from UTC; or milliseconds since the epoch. */
      at?: string | number;
      /** What an agent is asked. A job has a `prompt` or a `workflow`. */
      prompt?: string;
      /** The id of a workflow that each slot starts. */
      workflow?: string;
      /** Of `workflow`; `{{slot}}` in its texts is the time of the slot. */
      input?: unknown;
      /** Whose runs they are. */
      agent?: string | null;
      /** The skill that each run follows. */
      skill?: string | null;
      /** Where results go: `console`, `session:NAME`, `file:PATH`, or the address of a webhook. */
      delivery?: string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      } | Array<string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      }>;
      /** What becomes of missed slots: `skip`, `once` or `all`. */
      misfire?: string;
      /** How late a slot may be and still be on time. */
      grace?: string | number;
      /** Missed slots that are older never run. */
      window?: string | number | null;
      /** A slot during a run: `skip`, `queue` or `cancel-previous`. */
      overlap?: string;
      /** A slot begins up to this much later. */
      jitter?: string | number;
      /** Failures in a row that pause the job. */
      pauseAfter?: number | null;
      /** Failures in a row that `alert` hears of. */
      alertAfter?: number | null;
      /** As `delivery`. */
      alert?: string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      } | Array<string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      }>;
      /** How many of its last slots are kept. */
      keep?: number;
      /** Attempts at one delivery. */
      attempts?: number;
      /** Limits of each run. */
      limits?: {
        maxSteps?: number;
        maxTokens?: number;
        maxCostUsd?: number;
        maxRetries?: number;
        timeoutMs?: number;
        maxPromptBytes?: number;
        maxErrors?: number;
        maxRepeats?: number;
        parallelCalls?: number;
        confirmExpiryMs?: number;
        reconcileExpiryMs?: number;
        queueExpiryMs?: number;
      } | null;
      /** The budget that its runs share. */
      budget?: string | null;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Changes the fields that are given. Needs the scope `admin` for what `cron.add` does, and for any change of a job that has it. */
  'cron.update': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** A cron expression. A job has one of `cron`, `every` and `at`. */
      cron?: string;
      /** Of `cron`: `unix`, `quartz` or `robfig`. Default: by its signs. */
      dialect?: string;
      /** Of `cron`, such as `Europe/Berlin`. */
      timeZone?: string;
      /** An interval such as `15m`, or milliseconds. */
      every?: string | number;
      /** One time, with its offset from UTC; or milliseconds since the epoch. */
      at?: string | number;
      /** What an agent is asked. A job has a `prompt` or a `workflow`. */
      prompt?: string;
      /** The id of a workflow that each slot starts. */
      workflow?: string;
      /** Of `workflow`; `{{slot}}` in its texts is the time of the slot. */
      input?: unknown;
      /** Whose runs they are. */
      agent?: string | null;
      /** The skill that each run follows. */
      skill?: string | null;
      /** Where results go: `console`, `session:NAME`, `file:PATH`, or the address of a webhook. */
      delivery?: string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      } | Array<string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      }>;
      /** What becomes of missed slots: `skip`, `once` or `all`. */
      misfire?: string;
      /** How late a slot may be and still be on time. */
      grace?: string | number;
      /** Missed slots that are older never run. */
      window?: string | number | null;
      /** A slot during a run: `skip`, `queue` or `cancel-previous`. */
      overlap?: string;
      /** A slot begins up to this much later. */
      jitter?: string | number;
      /** Failures in a row that pause the job. */
      pauseAfter?: number | null;
      /** Failures in a row that `alert` hears of. */
      alertAfter?: number | null;
      /** As `delivery`. */
      alert?: string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      } | Array<string | {
        kind: 'console';
      } | {
        kind: 'file';
        path: string;
      } | {
        kind: 'session';
        session: string;
      } | {
        kind: 'webhook';
        url: string;
        secretEnv?: string;
      }>;
      /** How many of its last slots are kept. */
      keep?: number;
      /** Attempts at one delivery. */
      attempts?: number;
      /** Limits of each run. */
      limits?: {
        maxSteps?: number;
        maxTokens?: number;
        maxCostUsd?: number;
        maxRetries?: number;
        timeoutMs?: number;
        maxPromptBytes?: number;
        maxErrors?: number;
        maxRepeats?: number;
        parallelCalls?: number;
        confirmExpiryMs?: number;
        reconcileExpiryMs?: number;
        queueExpiryMs?: number;
      } | null;
      /** The budget that its runs share. */
      budget?: string | null;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Slots from now on count again. */
  'cron.enable': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** From now on the job has no slots. A run at work goes on. */
  'cron.disable': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** What the job says while it stands still. */
      reason?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Slots go on record, and none runs. */
  'cron.pause': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** What the job says while it stands still. */
      reason?: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Ends a pause. */
  'cron.resume': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Removes a job with its record, and cancels its run. The conversation of its runs stays. */
  'cron.remove': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      removed: true;
    };
  };
  /** Runs the job once now, behind a run at work, in a process that runs the schedule. */
  'cron.run': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      jobId: string;
      state: 'scheduled' | 'overdue' | 'running' | 'waiting' | 'interrupted' | 'delivering' | 'paused' | 'disabled' | 'finished' | 'failed';
      /** Why it stands still. */
      why: string | null;
      /** The schedule in English. */
      words: string;
      /** The schedule for other languages. */
      parts: Record<string, unknown> | null;
      /** Its next times; none while it stands still. */
      next: number[];
      /** The last run that ended. */
      last: {
        status: 'ok' | 'failed' | 'cancelled';
        [field: string]: unknown;
      } | null;
      /** Of its runs. */
      sessionId: string;
      [field: string]: unknown;
    };
  };
  /** Tries the deliveries of a slot again that were given up; says how many. What arrived, or is on its way, stays as it is. */
  'cron.redeliver': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** The number of the slot. */
      n: number;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      redelivered: number;
    };
  };
  /** The slots of a job, newest first: how each ended, or why it did not run. */
  'cron.history': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      /** Only slots with a smaller `n`. */
      below?: number;
      limit?: number;
    };
    output: {
      slots: Array<{
        n: number;
        /** Its time. */
        slot: number;
        status: 'queued' | 'running' | 'ok' | 'failed' | 'cancelled' | 'skipped';
        /** Why it did not run. */
        reason: string | null;
        runId: string | null;
        deliveries: Array<{
          status: string;
          [field: string]: unknown;
        }>;
        [field: string]: unknown;
      }>;
    };
  };
  /** The next times of a job, also while it stands still. */
  'cron.next': {
    input: {
      /** Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own. */
      jobId: string;
      count?: number;
    };
    output: {
      next: number[];
    };
  };
  /** What a schedule means: in words, and its next times. Makes no job. */
  'cron.preview': {
    input: {
      /** A cron expression. A job has one of `cron`, `every` and `at`. */
      cron?: string;
      /** Of `cron`: `unix`, `quartz` or `robfig`. Default: by its signs. */
      dialect?: string;
      /** Of `cron`, such as `Europe/Berlin`. */
      timeZone?: string;
      /** An interval such as `15m`, or milliseconds. */
      every?: string | number;
      /** One time, with its offset from UTC; or milliseconds since the epoch. */
      at?: string | number;
      /** Milliseconds since the epoch. */
      from?: number;
      count?: number;
    };
    output: {
      words: string;
      parts: Record<string, unknown> | null;
      next: number[];
      [field: string]: unknown;
    };
  };
  /** The skills that runs can use. Where the folders of skills are needs the scope `admin`, in tenant 1. */
  'skill.list': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** A skill with its text. */
  'skill.get': {
    input: {
      name: string;
    };
    output: {
      name: string;
      body: string;
      [field: string]: unknown;
    };
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
  /** The files of the memory of the tenant, or of the user whom the token is bound to. */
  'memory.list': {
    input: Record<string, never>;
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
  /** The statechart of runs: states, transitions, guards, and the same as a Mermaid diagram. */
  'machine.get': {
    input: {
      name?: string;
      /** Default: that of new runs. */
      version?: number;
    };
    output: {
      /** A `stateDiagram-v2`. */
      mermaid: string;
      [field: string]: unknown;
    };
  };
  /** Where to draw the statechart’s states and edges. */
  'machine.layout': {
    input: {
      name?: string;
      /** Default: that of new runs. */
      version?: number;
    };
    output: Record<string, unknown>;
  };
  /** The configuration in force, with every secret masked; for tenant 1 alone. */
  'config.get': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** Where each value of the configuration comes from; for tenant 1 alone. */
  'config.origins': {
    input: Record<string, never>;
    output: Record<string, unknown>;
  };
  /** Sums of model calls, tokens and costs: of the tenant, or of what exists for the token in it. The budgets are the tenant’s: a token that is bound to a user, agents or workflows gets none. */
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
  /** What is trusted: folders, skills as they were, and the tokens that let clients in. */
  'trust.list': {
    input: Record<string, never>;
    output: {
      /** Null when the program that serves keeps no such records, or for another tenant than the first. */
      folders: Array<{
        folder: string;
        at: string;
        files: string[];
      }> | null;
      skills: Array<{
        name: string;
        hash: string;
        at: string;
      }>;
      tokens: Array<{
        id: string;
        [field: string]: unknown;
      }>;
    };
  };
  /** Trusts a folder no longer, so that the next command there asks again; or a skill, in whichever form it was approved. */
  'trust.revoke': {
    input: {
      kind: 'folder' | 'skill';
      /** As `trust.list` names it. */
      name: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      revoked: true;
    };
  };
  /** Lets the holder of a token in no longer. */
  'token.revoke': {
    input: {
      /** The part of the token before the dot. */
      id: string;
      /** A second request with it and the same fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`. */
      idempotencyKey?: string;
    };
    output: {
      revoked: true;
    };
  };
  /** A ticket for one WebSocket of an inspector, such as `createWebSocketReceiver` of `@statelyai/inspect`: it works once, for a minute. */
  'inspect.ticket': {
    input: {
      /** `send`: for actors of your own that show themselves here; needs the scope `write`. */
      use?: 'follow' | 'send';
      /** Of `follow`: the run. Default: all runs from now on. */
      runId?: string;
      /** Of `send`: a name for the program. A later sender of this name takes the place of this one. */
      sender?: string;
    };
    output: {
      ticket: string;
      /** Where to connect, with the ticket: `wss://HOST` and this. */
      path: string;
      expiresAt: number;
    };
  };
  /** The actors that programs of the user show here through `createWebSocketInspector`, the one that moved last first. They are in memory: `dropped` were forgotten because there were too many. */
  'inspect.list': {
    input: Record<string, never>;
    output: {
      actors: Array<{
        actorId: string;
        name: string;
        /** The name of its program. */
        sender: string | null;
        /** Its id within its program. */
        sessionId: string;
        /** The id of its parent within the program. */
        parentSessionId?: string;
        /** The id of its parent here, if that is here as well. */
        parentActorId?: string;
        status: 'active' | 'done' | 'error' | 'stopped';
        /** Whether its program is connected. */
        isConnected: boolean;
        path: string | string[];
        tags: string[];
        lastSeq: number;
        /** Transitions that were forgotten because there were too many. */
        dropped: number;
        createdAt: number;
        updatedAt: number;
        /** Changes when the actor is registered again: its transitions then begin anew. */
        registeredAt: number;
        [field: string]: unknown;
      }>;
      dropped: number;
    };
  };
  /** One of these actors, to be drawn like a run: its chart as `machine.get` and `machine.layout` give that of runs, and its transitions after `afterSeq` as `run.trace` does. All of it came from outside. */
  'inspect.get': {
    input: {
      /** Id of an actor, of `inspect.list`. */
      actorId: string;
      /** Number of a transition of the run. */
      afterSeq?: number;
      limit?: number;
      /** Whether its chart is in the answer. */
      withChart?: boolean;
    };
    output: {
      actor: {
        actorId: string;
        name: string;
        /** The name of its program. */
        sender: string | null;
        /** Its id within its program. */
        sessionId: string;
        /** The id of its parent within the program. */
        parentSessionId?: string;
        /** The id of its parent here, if that is here as well. */
        parentActorId?: string;
        status: 'active' | 'done' | 'error' | 'stopped';
        /** Whether its program is connected. */
        isConnected: boolean;
        path: string | string[];
        tags: string[];
        lastSeq: number;
        /** Transitions that were forgotten because there were too many. */
        dropped: number;
        createdAt: number;
        updatedAt: number;
        /** Changes when the actor is registered again: its transitions then begin anew. */
        registeredAt: number;
        [field: string]: unknown;
      };
      trace: {
        runId: string;
        sessionId: string;
        machine: {
          name: string;
          version: number;
          hash: string | null;
          known: boolean;
          [field: string]: unknown;
        };
        lastSeq: number;
        ended: boolean;
        /** Transitions that agree with the machine in state and context, of those up to the end of the answer at least. */
        agrees: number;
        transitions: Array<{
          seq: number;
          at: number;
          event: {
            type: string;
            [field: string]: unknown;
          };
          /** Of a workflow: its event in the names of its chart. */
          label?: string;
          by: {
            kind: 'person' | 'effect' | 'timer' | 'system';
            [field: string]: unknown;
          };
          /** Its key in `ways`. */
          way: number;
          /** By key of the context: before and after. */
          changes: Record<string, unknown[]>;
          hash: string;
          [field: string]: unknown;
        }>;
        /** The ways of these transitions through the chart. */
        ways: Record<string, {
          from: string | string[];
          to: string | string[];
          /** Ids of the edges of `machine.layout`, in the order in which it took them. */
          edges: string[];
          guards: Array<{
            guard: string;
            holds: boolean;
            [field: string]: unknown;
          }>;
          [field: string]: unknown;
        }>;
        spans: Array<{
          id: number;
          effect: number;
          lane: 'model' | 'tools' | 'people' | 'host';
          label: string;
          seq: number;
          startedAt: number;
          endedAt: number | null;
          attempt: number;
          [field: string]: unknown;
        }>;
        [field: string]: unknown;
      };
      definition?: Record<string, unknown> | null;
      layout?: Record<string, unknown> | null;
      /** Why it has no definition, or no layout. */
      refused?: string | null;
      [field: string]: unknown;
    };
  };
}

/**
 * What methods are called, behind the dot. First those that change nothing; then, from `firstKeyed` on, those that change
 * something, and take an `idempotencyKey`. No two of the two kinds are called the same.
 */
export const verbs: readonly string[] = 'wait subscribe unsubscribe ping list search get counts find events log trace why context diff at forkPreview read history next preview layout origins ticket run cancel steer confirm answer result reconcile revoke fork resume create clear delete put start send add update enable disable pause remove redeliver'.split(' ');

export const firstKeyed = 24;
