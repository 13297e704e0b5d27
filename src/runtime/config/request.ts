import type { ModelApi } from '../../ports/chat-model.ts';
import type { LimitsConfig } from '../../protocol/config.ts';

/** What a run is asked for with. All of it has a default. */
export interface RunRequest {
  /** A key of your own; runs of one session share a conversation and are strictly serial. Default: a new one. */
  session?: string;
  /** For a busy session: wait in line (default), join the run at work, or end that run first. */
  mode?: 'queue' | 'steer' | 'interrupt';
  /** One of the configured agents. What else the request says goes before what the agent says. Default: `default`. */
  agent?: string;
  model?: string;
  /** Where that model answers; any provider word is allowed with it. */
  baseUrl?: string;
  /** The variable that holds the key. */
  apiKeyEnv?: string;
  /** The wire that it speaks. Default: as configured, else that of the known provider, else `chat`. */
  api?: ModelApi;
  system?: string;
  /** The only tools of this run, within those of its agent; `@name` stands for a set. */
  tools?: string[];
  /** The only skills of this run, within those of its agent; `[]` for none. */
  skills?: string[];
  approve?: 'ask' | 'all' | 'none';
  limits?: LimitsConfig;
  /** One of the configured budgets, which this run shares with all others that name it. */
  budget?: string;
  /** False asks the model even where `router.cache` has an answer, and keeps none. Default true. */
  cache?: boolean;
  /** False asks the provider for whole answers: a watcher gets each in one piece. Default true. */
  stream?: boolean;
  /** Images, PDF files and text files that go with the prompt; at most 20, of 20 MB together. */
  attachments?: readonly Attachment[];
  /** Who the run is for; tools receive it. The tenant keeps its runs apart from all others. */
  principal?: { tenantId?: number; userId?: string; claims?: Record<string, string> };
}

/**
 * An image (PNG, JPEG, GIF, WebP), a PDF or a text file that goes with a message: a file of the workspace, or its bytes.
 * What it is, is found out from the bytes.
 */
export type Attachment =
  | {
      /** Relative to the workspace, and in it. */
      path: string;
      /** Shown to the model; default: the file's own. */
      name?: string;
    }
  | {
      /** Bytes, or base64. */
      data: Uint8Array | string;
      name?: string;
      /** Only checked: `ATTACHMENT_UNSUPPORTED` when the bytes are something else. */
      mimeType?: string;
    };
