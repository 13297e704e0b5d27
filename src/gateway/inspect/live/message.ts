import * as z from 'zod/mini';
import { parseJson } from '../../../protocol/json.ts';

const id = z.string().check(z.minLength(1), z.maxLength(200));
const common = {
  sessionId: id,
  rootId: z.catch(z.optional(id), undefined),
  createdAt: z.catch(
    z.optional(z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number))),
    undefined,
  ),
};
const event = z.looseObject({ type: z.string().check(z.maxLength(500)) });
const snapshot = z.catch(
  z.looseObject({
    status: z.catch(z.enum(['active', 'done', 'error', 'stopped']), 'active'),
    value: z.unknown(),
    context: z.unknown(),
    tags: z.catch(z.optional(z.array(z.string().check(z.maxLength(200))).check(z.maxLength(100))), undefined),
  }),
  { status: 'active', value: undefined, context: undefined },
);

const inspectionMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('@xstate.actor'),
    ...common,
    name: z.catch(z.optional(z.string().check(z.maxLength(200))), undefined),
    definition: z.catch(z.optional(z.string()), undefined),
    parentId: z.catch(z.optional(id), undefined),
    snapshot,
  }),
  z.object({
    type: z.literal('@xstate.event'),
    ...common,
    event,
    sourceId: z.catch(z.optional(id), undefined),
  }),
  z.object({ type: z.literal('@xstate.snapshot'), ...common, event, snapshot }),
]);

/** A message of an actor of another program, with only its valid fields. */
export type ReceivedMessage = z.output<typeof inspectionMessage>;

/** Null for text that is no message of `@statelyai/inspect`. */
export function readMessage(text: string): ReceivedMessage | null {
  const read = inspectionMessage.safeParse(parseJson(text));
  return read.success ? read.data : null;
}
