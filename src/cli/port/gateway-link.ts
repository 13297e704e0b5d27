import {
  type Client,
  type ClientEvent,
  createClient,
  type Input,
  type Method,
  type Output,
} from '../../client/index.ts';
import { DetentError } from '../../protocol/error.ts';
import type { CheckedInput } from '../../protocol/methods.ts';
import type { ServerPlace } from '../settings/server.ts';

/** How long a gateway may be away, for a restart, before a command gives up. */
const graceMs = 10_000;

/** The connection of one command to a gateway. */
export interface GatewayLink {
  /** @throws DetentError the gateway's own; `SERVER_UNREACHABLE`, `SERVER_GONE`. */
  request<M extends Method>(method: M, input: Input<M> | CheckedInput<M>): Promise<Output<M>>;
  /** The events of a run from its first one; ends with the run. Throws as `request` does. */
  watch(runId: string): AsyncIterable<ClientEvent>;
  /** Stores a file for a message to come. Returns its id. Throws as `request` does. */
  upload(file: { data: Uint8Array; name?: string; mimeType?: string }): Promise<string>;
  /** What the token allows; empty before the first answer. */
  readonly scopes: readonly string[];
  close(): void;
}

/** @param report gets told that the connection is lost for now. */
export function openLink(
  { url, token }: ServerPlace,
  report: (error: DetentError) => void,
  patienceMs = graceMs,
): GatewayLink {
  let wasOpen = false;
  let timer: NodeJS.Timeout | undefined;
  let failure: DetentError | null = null;
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});

  const fail = (error: DetentError) => {
    failure ??= error;
    gone.reject(failure);
    client.close();
  };
  const client: Client = createClient({
    url,
    token,
    reconnect: { minMs: 100, maxMs: 1_000 },
    onState(state, error) {
      if (state === 'open') {
        wasOpen = true;
        clearTimeout(timer);
        timer = undefined;
      }
      if (state !== 'waiting') return;
      if (!wasOpen)
        return fail(
          new DetentError(
            'SERVER_UNREACHABLE',
            `no gateway answers at ${url} (${error?.message ?? 'no answer'}): start one there with "detent serve", or name another with --server`,
            { retryable: true },
          ),
        );
      if (timer === undefined)
        report(
          new DetentError('SERVER_GONE', `lost the connection to ${url}; trying again`, { retryable: true }),
        );
      timer ??= setTimeout(
        () =>
          fail(
            new DetentError('SERVER_GONE', `the gateway at ${url} no longer answers`, {
              retryable: true,
            }),
          ),
        patienceMs,
      );
    },
  });

  return {
    request: (method, input) =>
      Promise.race([
        (client.request as (method: string, input: unknown) => Promise<never>)(method, input).catch(
          rethrowForOperator,
        ),
        gone.promise,
      ]),
    async upload({ data, name, mimeType }) {
      const query = new URLSearchParams({
        ...(name !== undefined && { name }),
        ...(mimeType !== undefined && { mimeType }),
      });
      const response = await client.http(`/api/v1/attachments?${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.from(data),
      });
      return ((await response.json()) as { id: string }).id;
    },
    async *watch(runId) {
      try {
        yield* client.watch(runId);
      } catch (error) {
        throw failure ?? error;
      }
    },
    get scopes() {
      return client.connected?.scopes ?? [];
    },
    close() {
      clearTimeout(timer);
      client.close();
    },
  };
}

/** Throws a refusal with what its details say: its sentence is for customers of an app, and on a terminal the owner of the token reads it. */
function rethrowForOperator(error: unknown): never {
  if (!DetentError.is(error)) throw error;
  const { code, retryable, details } = error;
  const { missing, problems } = details as {
    missing?: string[];
    problems?: { field: string; message: string }[];
  };
  const [first] = problems ?? [];
  if (code === 'FORBIDDEN' && missing) {
    const message = `this needs a token with the scope ${missing.join(' and ')}`;
    throw new DetentError(code, message, { details, retryable });
  }
  if (code === 'INVALID_REQUEST' && first) {
    const place = first.field === '' ? '' : `"${first.field}": `;
    throw new DetentError(code, `${place}${first.message}`, { details, retryable });
  }
  throw error;
}
