import { isObject } from '../../protocol/json.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { CallFailure, modelError } from './model-error.ts';

const sentences: Record<string, Parameters<typeof modelErrorText>[0]> = {
  ECONNREFUSED: 'model_connection_refused',
  ENOTFOUND: 'model_host_unknown',
  EAI_AGAIN: 'model_host_not_looked_up',
  ECONNRESET: 'model_connection_lost',
  EPIPE: 'model_connection_lost',
  ETIMEDOUT: 'model_connection_timeout',
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
  const sentence = sentences[code] ?? (isCertificateProblem(code) ? 'model_certificate' : 'model_network');
  const facts = { origin, said: thrown.message, ...(code && { errno: code }) };
  const kind = code === 'ETIMEDOUT' ? 'timeout' : 'network';
  return new CallFailure(modelError(kind, modelErrorText(sentence, facts)));
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
