import * as z from 'zod/mini';
import { approvals, clientCallCounts, modelApis, runModes } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, oneOf, refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { RunRequest } from '../config/request.ts';

// The message of each schema says what the value should be.
const text = z.string('a text');
const isName = (value: unknown) => typeof value === 'string' && value.isWellFormed();
const name = z.custom<string>(isName, 'a text without half a surrogate pair');
const texts = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every(isName),
  'a list of texts without half a surrogate pair',
);
const flag = z.boolean('true or false');
const list = z.custom<readonly unknown[]>(Array.isArray, 'a list');
const object = z.custom<object>(isObject, 'an object');
const textsByName = z.catchall(z.object({}, 'an object'), text);
const word = (known: readonly string[]) =>
  z.custom<string>((value) => known.some((one) => one === value), { params: { known } });

/** The limits of OpenAI's interface, in characters. */
const most = { entries: 16, name: 64, value: 512 };
const metadata = textsByName.check(
  z.refine(
    (value) => {
      const entries = Object.entries(value);
      const isShort = entries.every(([name, word]) => name.length <= most.name && word.length <= most.value);
      return isShort && entries.length <= most.entries;
    },
    whole(
      `metadata of a run has at most ${most.entries} entries, with names of at most ${most.name} and values of at most ${most.value} characters`,
    ),
  ),
);

/** The fields. `limits` are checked as those of the configuration are. */
const fields = z.partial(
  z.strictObject(
    {
      sessionId: name,
      after: name,
      idempotencyKey: name,
      requestId: text,
      mode: word(runModes),
      agent: name,
      model: name,
      baseUrl: text,
      apiKeyEnv: text,
      api: word(modelApis),
      system: text,
      tools: texts,
      clientTools: list,
      clientCalls: word(clientCallCounts),
      skills: texts,
      approve: word(approvals),
      mayApprove: flag,
      byAdmin: flag,
      output: object,
      limits: object,
      budget: name,
      cache: flag,
      stream: flag,
      attachments: list,
      metadata,
      principal: z.looseObject(
        {
          tenantId: z.optional(z.int('a whole number')),
          userId: z.nullish(name),
          claims: z.optional(textsByName),
        },
        'an object',
      ),
      by: text,
    } satisfies Record<keyof RunRequest, z.ZodMiniType>,
    'an object',
  ),
);

const request = fields.check(
  z.refine(
    ({ after, sessionId, mode }) =>
      after === undefined || (sessionId === undefined && (mode === undefined || mode === 'queue')),
    whole(
      '"after" of a run says where its conversation goes on: leave out "sessionId", and any "mode" but "queue"',
    ),
  ),
);

/** An error about more than one value is a whole sentence. */
function whole(message: string) {
  return { error: message, params: { isWhole: true } };
}

/**
 * Checks the fields of a run's request, which a program without types can fill with anything. An absent field has its
 * default; an unknown one, and `null`, is an error, because a restriction may be meant.
 *
 * @throws DetentError `INVALID_REQUEST`.
 */
export function checkFields(asked: RunRequest): void {
  const [issue] = z.safeParse(request, asked).error?.issues ?? [];
  if (!issue) return;
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    refuseUnknownFields(asked, Object.keys(fields.shape), 'a run', 'INVALID_REQUEST');
  const { known, isWhole } = issue.code === 'custom' ? (issue.params ?? {}) : {};
  if (isWhole) throw new DetentError('INVALID_REQUEST', message);
  const value = path.reduce(
    (within: unknown, key) => (isObject(within) ? within[String(key)] : within),
    asked,
  );
  const name = path.length === 0 ? 'the request' : path.join('.');
  if (known) oneOf(value, known, `${name} of a run`, 'INVALID_REQUEST');
  throw new DetentError('INVALID_REQUEST', `${name} of a run is ${message}, not ${shown(value)}`);
}
