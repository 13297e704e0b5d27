import { DetentError } from '../../protocol/error.ts';
import type { Variables } from '../../protocol/json.ts';

/** The proxy of the environment, as Node's agents take it. */
interface ProxyVariables {
  HTTP_PROXY?: string;
  HTTPS_PROXY?: string;
  NO_PROXY: string;
}

/** Servers on this machine are never reached through a proxy. */
const here = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * The proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, also in lower case, or `ALL_PROXY` where one is not set; null
 * for none.
 *
 * @throws DetentError `INVALID_PROXY` for what is no HTTP proxy: calls would go out without it.
 */
export function proxyOf(env: Variables): ProxyVariables | null {
  const all = proxyVariable(env, 'ALL_PROXY');
  const http = proxyVariable(env, 'HTTP_PROXY') ?? all;
  const https = proxyVariable(env, 'HTTPS_PROXY') ?? all;
  if (http === undefined && https === undefined) return null;
  return {
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(https !== undefined && { HTTPS_PROXY: https }),
    NO_PROXY: [...here, env.no_proxy || env.NO_PROXY || ''].filter(Boolean).join(','),
  };
}

/** As curl does: lower case first, and an address without a scheme is one of HTTP. */
function proxyVariable(env: Variables, name: string): string | undefined {
  const value = env[name.toLowerCase()] || env[name];
  if (!value) return undefined;
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    // The value may hold a password.
    throw new DetentError(
      'INVALID_PROXY',
      `${name} is not the address of an HTTP proxy, and Detent makes no calls without the proxy: set it to http://HOST:PORT, or unset it`,
      { details: { variable: name } },
    );
  return url.href;
}
