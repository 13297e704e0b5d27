import type { LimitsConfig } from '../../protocol/config.ts';
import type { Approve, ModelApi, RunMode } from '../../protocol/enums.ts';
import type { OutputSchema } from '../../protocol/ports.ts';
import type { ClientTool } from '../../protocol/tool.ts';
import type { OfRequest } from '../../runs/rows.ts';

/** The options of one run. All have a default. */
export interface RunRequest extends OfRequest {
  /**
   * Session key of your choice. Runs of one session share a conversation and are strictly serial. Default: a new key.
   */
  sessionId?: string;
  /**
   * Id of an earlier run: this one goes on with the conversation as it stood at the end of that run. If that run is the newest
   * of its session, in that session; else in a new session, which begins with copies of that run and of those before it.
   * Excludes `session` and every `mode` but `queue`.
   */
  after?: string;
  /**
   * A key of your choice for this request, 1 to 200 characters. A second request with this key, of the same tenant and
   * user, makes no second run and gets the first one: for HTTP clients and queues that repeat a request. The key counts
   * as long as the run is stored; with another prompt or option it throws `IDEMPOTENCY_CONFLICT`.
   */
  idempotencyKey?: string;
  /** In a busy session: `queue` the run (default), `steer` the running one, or `interrupt` it first. */
  mode?: RunMode;
  /** Name of a configured agent. The other fields of the request override those of the agent. Default: `default`. */
  agent?: string;
  model?: string;
  /** Base URL for that model; the provider's name may then be any word. */
  baseUrl?: string;
  /** The environment variable that holds the API key. */
  apiKeyEnv?: string;
  /** The API that it speaks. Default: as configured, else that of the known provider, else `chat`. */
  api?: ModelApi;
  system?: string;
  /** The only tools this run may use, out of those of its agent; `@name` is a named list. */
  tools?: string[];
  /**
   * Tools that you perform yourself: when the model calls one, the run waits with a pending call of kind `client`, for
   * days if need be, until `runs.confirm` gives its result. Sub-runs do not have them. See docs/tools.md.
   */
  clientTools?: readonly ClientTool[];
  /** `one`: the model may call one of them at a time; more in one answer are refused. Default `many`. */
  clientCalls?: 'one' | 'many';
  /** The only skills this run may use, out of those of its agent; `[]` for none. */
  skills?: string[];
  approve?: Approve;
  /**
   * For a message to a run at work, also with mode `steer`: whether its author may approve calls. False removes
   * `approve: 'all'` from the run and the runs above it, so that later calls ask a person. Default true: the program
   * may.
   */
  mayApprove?: boolean;
  /**
   * The schema that the last answer must fit, instead of the agent's: a zod schema, or JSON Schema. The result has the
   * answer as `output`; see docs/structured-output.md.
   */
  output?: OutputSchema;
  limits?: LimitsConfig;
  /**
   * Whether an administrator chose its model, instructions, limits or budget. Then no one else may fork it: see `mayAdminister` of
   * `runs.fork`.
   */
  byAdmin?: boolean;
  /** Name of a configured budget, which this run shares with all others that name it. */
  budget?: string;
  /** False bypasses `router.cache`: it neither reads nor stores answers. Default true. */
  cache?: boolean;
  /** False requests whole answers from the provider: a watcher gets each in one piece. Default true. */
  stream?: boolean;
  /** Images, PDF files and text files for the prompt; at most 20, of 20 MB together. */
  attachments?: readonly Attachment[];
  /** The caller's own labels of the run, at most 16 texts by name: stored with the run and shown by `detent.runs.show`. */
  metadata?: Record<string, string>;
  /** The user of the run; tools receive it. Runs of different tenants are isolated from each other. */
  principal?: { tenantId?: number; userId?: string; claims?: Record<string, string> };
  /** Who asks for it, for the log and for decisions, if that is not its user: a colleague, or a program. Default: the user. */
  by?: string;
}

/** The options of one call that a program asks for. All have a default. */
export interface ToolCallRequest
  extends Pick<RunRequest, 'sessionId' | 'approve' | 'idempotencyKey' | 'principal' | 'by'> {
  /** Name of the configured agent whose tools, limits and budget count. Default: `default`. */
  agent?: string;
  /** Of these, `timeoutMs` and the expiries count. */
  limits?: LimitsConfig;
}

/**
 * An image (PNG, JPEG, GIF, WebP), a PDF or a text file that goes with a message: a file of the workspace, its
 * bytes, or an upload. Its type is detected from the bytes.
 */
export type Attachment =
  | {
      /** Relative to the workspace, and inside it. */
      path: string;
      /** The name the model sees. Default: the name of the file. */
      name?: string;
    }
  | {
      /** Bytes, or base64. */
      data: Uint8Array | string;
      name?: string;
      /** Only a check: `ATTACHMENT_UNSUPPORTED` if the bytes are of another type. */
      mimeType?: string;
    }
  | {
      /** Of an upload: see `detent.attachments.put`. */
      id: string;
      /** Default: the name of the upload. */
      name?: string;
    };
