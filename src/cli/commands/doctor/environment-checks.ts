import { proxyOf } from '../../../models/wire.ts';
import type { Variables } from '../../../protocol/json.ts';
import { type Check, failed, ok, type Subject, warn } from './check.ts';

/** The proxy of calls to models, without its password. */
export function checkProxy(env: Variables): Check {
  const subject: Subject = ['proxy', 'Proxy'];
  try {
    const found = proxyOf(env);
    if (found === null) return ok(subject, 'none in the environment');
    const addresses = [found.HTTP_PROXY, found.HTTPS_PROXY].filter((one) => one !== undefined);
    const shown = [...new Set(addresses.map(withoutPassword))].join(', ');
    const others =
      env.NODE_USE_ENV_PROXY === '1'
        ? 'http_get and webhooks do not use it'
        : 'only models use it; with NODE_USE_ENV_PROXY=1 also MCP servers, embeddings and gateways';
    return ok(subject, `${shown}, not for ${found.NO_PROXY}; ${others}`);
  } catch (error) {
    return failed(subject, error);
  }
}

function withoutPassword(address: string): string {
  const { protocol, host, password } = new URL(address);
  return `${protocol}//${host}${password === '' ? '' : ' (with a password)'}`;
}

/** Variables of other programs and packages that a person may expect to count here. */
const ignored: Readonly<Record<string, string>> = {
  OPENAI_API_BASE: 'set OPENAI_BASE_URL',
  OPENAI_ORG_ID: 'set the header OpenAI-Organization: models.openai.headers',
  OPENAI_ORGANIZATION: 'set the header OpenAI-Organization: models.openai.headers',
  OPENAI_PROJECT_ID: 'set the header OpenAI-Project: models.openai.headers',
  ANTHROPIC_AUTH_TOKEN: 'set ANTHROPIC_API_KEY, or the header authorization: models.anthropic.headers',
  AZURE_OPENAI_ENDPOINT: 'name the server: models.openai.baseUrl, or OPENAI_BASE_URL',
  AZURE_OPENAI_API_KEY: 'name the variable: models.openai.apiKeyEnv',
  OLLAMA_HOST: 'set OLLAMA_BASE_URL to http://HOST:PORT/v1',
  SSL_CERT_FILE: 'set NODE_EXTRA_CA_CERTS',
  SSL_CERT_DIR: 'set NODE_EXTRA_CA_CERTS',
  REQUESTS_CA_BUNDLE: 'set NODE_EXTRA_CA_CERTS',
};

export function checkIgnored(env: Variables): Check {
  const subject: Subject = ['variables.others', 'Variables of others'];
  const set = Object.keys(ignored).filter((name) => env[name]);
  if (set.length === 0) return ok(subject, 'no other known variable is set');
  const remedies = [...new Set(set.map((name) => ignored[name]))].join('; ');
  return warn(
    subject,
    `${set.join(', ')}: Detent does not use ${set.length === 1 ? 'it' : 'them'}`,
    remedies,
  );
}
