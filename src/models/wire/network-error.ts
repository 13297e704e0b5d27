import { isObject } from '../../protocol/json.ts';
import { CallFailure, modelError } from './model-error.ts';

const hints: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused. Is the server running, and is the base URL right?',
  ENOTFOUND: 'the host name is unknown. Check the base URL and the network.',
  EAI_AGAIN: 'the host name could not be looked up. Check the network.',
  ECONNRESET: 'the connection broke off.',
  EPIPE: 'the connection broke off.',
  ETIMEDOUT: 'the connection timed out. Check the base URL, the network and any proxy.',
};

/**
 * Translates an error of a socket, its TLS or the HTTP parser into a failed call of kind `network` (`timeout` when
 * connecting took too long).
 *
 * @param thrown what `node:http` reported
 * @param origin the server's origin, for the message
 */
export function networkFailure(thrown: Error, origin: string): Error {
  const code = codeOf(thrown);
  const hint = hints[code] ?? (isCertificateProblem(code) ? certificateHint(thrown) : `${thrown.message}.`);
  const kind = code === 'ETIMEDOUT' ? 'timeout' : 'network';
  return new CallFailure(modelError(kind, `Call to ${origin} failed: ${hint}${code ? ` (${code})` : ''}`));
}

/** Node tries several addresses of a host and then throws an AggregateError whose own code may be missing. */
function codeOf(thrown: unknown): string {
  if (!isObject(thrown)) return '';
  if (typeof thrown.code === 'string') return thrown.code;
  return codeOf(Array.isArray(thrown.errors) ? thrown.errors[0] : thrown.cause);
}

function isCertificateProblem(code: string): boolean {
  return /CERT|ERR_TLS|ERR_SSL|UNABLE_TO_/.test(code);
}

function certificateHint(thrown: Error): string {
  return `no trusted TLS connection: ${thrown.message}. For a private certificate authority set NODE_EXTRA_CA_CERTS.`;
}
