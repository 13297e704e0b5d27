import { budgetErrors } from './budget-error.ts';
import { fill, type Sentence, type SentenceValue, type Wording } from './fill.ts';
import { readBack } from './read-back.ts';

/** What happened where a provider refuses a call or reports an error, and what to do: by the kind of the error. */
export const modelErrors = {
  model_auth:
    '{origin} refused the credentials[ ({status})][: {said}]. Check the API key set for this provider.',
  model_permission:
    '{origin} denied access[ ({status})][: {said}]. Check that the API key may use this model.',
  model_not_found:
    '{origin} does not know the model or the address[ ({status})][: {said}]. Check the model name and the base URL.',
  model_bad_request: '{origin} refused the request[ ({status})][: {said}].',
  model_redirected:
    '{origin} redirects to {location} ({status}), where Detent sends nothing. Set the base URL to the new address.',
  model_context_overflow:
    '{origin} says that the prompt is too long for the model[ ({status})][: {said}]. Shorten the conversation.',
  model_rate_limit: '{origin} limits the rate of calls[ ({status})][: {said}]. Wait before the next one.',
  model_out_of_credit:
    '{origin} says that the account has no credit left[ ({status})][: {said}]. Add credit there or choose another provider.',
  model_overloaded: '{origin} is overloaded[ ({status})][: {said}]. Try again later.',
  model_timeout: '{origin} timed out[ ({status})][: {said}]. Try again later.',
  model_server: '{origin} failed[ ({status})][: {said}]. Try again later.',

  // Before the call.
  model_key_missing: 'provider "{provider}" needs an API key: set the environment variable {variable}',
  model_provider_unknown:
    'no provider "{provider}"; known are {known}; for any other server add --base-url, or "models" to the config',
  model_address_not_named:
    '{model} was used with {address}, which only the database names now: set models.{provider} in the configuration, or name it again with: {command}',
  model_base_url: 'the base URL "{url}"[ of {variable}] is not an http(s) address; give one like {example}',

  // The connection.
  model_connection_refused:
    'Call to {origin} failed: the connection was refused. Is the server running, and is the base URL right? ({errno})',
  model_host_unknown:
    'Call to {origin} failed: the host name is unknown. Check the base URL and the network. ({errno})',
  model_host_not_looked_up:
    'Call to {origin} failed: the host name could not be looked up. Check the network. ({errno})',
  model_connection_lost: 'Call to {origin} failed: the connection broke off. ({errno})',
  model_connection_timeout:
    'Call to {origin} failed: the connection timed out. Check the base URL, the network and any proxy. ({errno})',
  model_certificate:
    'Call to {origin} failed: no trusted TLS connection: {said}. For a private certificate authority set NODE_EXTRA_CA_CERTS. ({errno})',
  model_network: 'Call to {origin} failed: {said}.[ ({errno})]',

  // The answer.
  model_silent: '{origin} sent nothing more for {ms} ms.',
  model_late: '{origin} did not begin to answer within {ms} ms.',
  model_broke_off: '{origin} broke the answer off: {said}.',
  model_cut_off: '{origin} ended the answer before it was complete.',
  model_not_json: '{origin} sent an event that is not JSON: {said}',
  model_too_long: '{origin} sent more than {max} characters in one answer; the rest was not read.',
  model_web_page: '{origin} answered with a web page. Check the base URL.',
  model_other_answer: '{origin} answered with something that is no {kind}. Check the base URL.',

  // Detent itself.
  model_cancelled: 'The call to {origin} was cancelled.',
  model_cancelled_waiting: 'The call to {model} was cancelled while it waited for its turn.',
  model_circuit_open:
    '{model} failed {failures:# time|# times in a row}, so Detent does not call it for another {seconds} s. Wait, or use another model.',
} as const;

/** Errors of the loop that calls models. An app with models of its own has these, too. */
export const loopErrors = {
  model_run_ended: 'the run ended before the answer did',
  model_none_answered: 'none of the {count} models answered: {tries}',
} as const;

/** One of the models that did not answer. */
export const triedModel = { model_of_list: '({n}) {model}: {code}: {said}' } as const;

/** What a client without the scope `admin` reads of such errors. */
export const modelErrorsForClients = {
  client_model_unavailable: 'the model cannot be used at the moment',
  client_model_refused: 'the model refused the request',
  client_model_overflow: 'the conversation is too long for the model',
  client_model_rate_limit: 'the model has too many requests; try again later',
  client_model_overloaded: 'the model is overloaded; try again later',
  client_model_failed: 'the model failed; try again later',
  client_model_slow: 'the model took too long; try again later',
  client_model_unreachable: 'the model cannot be reached; try again later',
  client_model_unreadable: 'the answer of the model could not be read',
  client_model_circuit: 'the model failed several times; try again later',
  client_no_model: 'no model could answer',
} as const;

const words: Readonly<Record<string, string>> = {
  variable: '\\S+',
  ...{ origin: '\\S+', model: '\\S+', errno: '[A-Z_0-9]+' },
  ...{ status: '\\d+', ms: '\\d+', max: '\\d+', seconds: '\\d+', count: '\\d+', minutes: '\\d+' },
  ...{ field: '\\S+', per: '\\S+' },
  failures: '\\d+ times?(?: in a row)?',
};

const plain: Wording = {
  ...{ duration: String, time: String, due: String, status: String, separator: ', ' },
  sentence: ({ code }) => code,
};

/** How a model call failed, in English. @param params the values that the sentence names */
export function modelErrorText(
  code: keyof typeof modelErrors,
  params: Readonly<Record<string, string | number>>,
): string {
  return fill(modelErrors[code], params, plain);
}

/** Why a budget admits no call, in English. @param params the values that the sentence names */
export function budgetErrorText(code: keyof typeof budgetErrors, params: Sentence['params']): string {
  return fill(budgetErrors[code], params, plain);
}

/** What the message of an error says, by its code, with what it names; null for the words of anyone else. */
export const errorReasonOf = /* @__PURE__ */ readBack(
  () => ({ ...modelErrors, ...loopErrors, ...budgetErrors }),
  words,
  (name, value) => {
    if (name === 'failures') return Number.parseInt(value, 10);
    return name === 'tries' ? triesIn(value) : value;
  },
);

/** `(1) acme/large: MODEL_SERVER: … (2) acme/small: MODEL_AUTH: …`. */
function triesIn(text: string): Sentence[] {
  return [...text.matchAll(/\((\d+)\) (\S+): ([A-Z_]+): (.+?)(?= \(\d+\) \S+: [A-Z_]+: |$)/gs)].map(
    ([, n = '', model = '', code = '', said = '']) => ({
      code: 'model_of_list',
      params: { n, model, code, said: errorWords(said) },
    }),
  );
}

/** The message of an error: as a sentence for every language, where Detent has one. */
export function errorWords(message: string): SentenceValue {
  return errorReasonOf(message) ?? message;
}
