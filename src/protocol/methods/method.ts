import type * as z from 'zod/mini';
import type { Scope } from '../access.ts';

/** Where a method is found over HTTP. `{name}` in the path is a field of the input. */
export interface HttpPlace {
  verb: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  /** `/v1` has the interface of OpenAI, with its form of errors. Default `/api/v1`. */
  root?: '/v1';
  /** Whether the answer is a stream of server-sent events: always, or when the request asks for one. */
  streams?: 'always' | 'asked';
  /** Takes the header `Idempotency-Key`, though no field of its input. */
  takesKey?: true;
  /** Of success. Default 200. */
  status?: number;
  /** The answer's `data` is a file in base64: it is sent as that file. */
  isFile?: true;
  /** The body may be a file instead of JSON: its bytes are the field `data`. */
  takesFile?: true;
}

/**
 * What a second request with the same idempotency key gets when the process that performed the first one died within it. In all
 * other cases it gets the answer of the first one.
 *
 * - `run`: the run itself keeps the key, so it gets that run, for as long as that is kept
 * - `noted`: the commit that did it noted so, and it gets the answer; else the method is performed
 * - `repeated`: the method is performed again; it does nothing the second time
 */
export type Keyed = 'run' | 'noted' | 'repeated';

/** What is said of a method: frames, HTTP, the descriptions of both and the types of clients are made of it. */
export interface Declared {
  /** What the caller must be allowed at least. */
  scope: Scope;
  /** A client with the scope `talk` may use it as well. */
  talk?: true;
  /** One sentence, for the description of the interface. */
  summary: string;
  /**
   * Strict: unknown fields are refused. Ids in `runId`, `otherRunId`, `after`, `sessionId` and `jobId` are checked to be the
   * caller's.
   */
  input: z.ZodMiniObject;
  output: z.core.$ZodType;
  http?: HttpPlace;
  /**
   * What it does with a client's idempotency key, which is then a field of its input; left out by a method that changes nothing, and
   * takes none.
   */
  keyed?: Keyed;
  /** Is performed beside other requests that read: its answer is short, or it waits for something. */
  beside?: true;
  /** Whether a `sessionId` that is not there yet is made. */
  makesSessions?: true;
  /** Whether the `jobId` is that of a new job. */
  makesJobs?: true;
  /** Whether it starts runs of the default agent when its input names neither an agent nor a workflow. */
  startsAgents?: true;
}

/** Methods of one subject, by name. */
export type Declarations = Readonly<Record<string, Declared>>;
