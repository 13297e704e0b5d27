import { ClientError, errorOf, passing } from './error.ts';
import type { FetchFunction } from './link/host.ts';

interface HttpParts {
  url: string;
  fetch: FetchFunction;
  token(): Promise<string>;
  /** Whether another call of `token` may give another one. */
  isTokenRenewed: boolean;
}

/**
 * An HTTP request with the client's token, for what frames do not carry: uploads and downloads. A token that the gateway refuses is
 * asked for once more.
 *
 * @throws ClientError with the gateway's code; `UNREACHABLE` without an answer.
 */
export async function requestHttp(parts: HttpParts, path: string, init: RequestInit = {}): Promise<Response> {
  const { url, token, fetch, isTokenRenewed } = parts;
  const attempt = async () => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${await token()}`);
    return fetch(url + path, { ...init, headers }).catch((error: unknown) => {
      const { message } = errorOf(error, 'no answer');
      throw init.signal?.aborted ? new ClientError('ABORTED', message) : passing('UNREACHABLE', message);
    });
  };
  let response = await attempt();
  if (response.status === 401 && isTokenRenewed) response = await attempt();
  if (response.ok) return response;
  throw errorOf(await response.json().catch(() => null), `HTTP_${response.status}`);
}
