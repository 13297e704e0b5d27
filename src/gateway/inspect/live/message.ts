import { z } from 'zod';
import { parseJson } from '../../../protocol/json.ts';

const id = z.string().min(1).max(200);
const common = {
  sessionId: id,
  rootId: id.optional().catch(undefined),
  createdAt: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
};
const event = z.looseObject({ type: z.string().max(500) });
const snapshot = z
  .looseObject({
    status: z.enum(['active', 'done', 'error', 'stopped']).catch('active'),
    value: z.unknown(),
    context: z.unknown(),
    tags: z.array(z.string().max(200)).max(100).optional().catch(undefined),
  })
  .catch({ status: 'active', value: undefined, context: undefined });

const inspectionMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('@xstate.actor'),
    ...common,
    name: z.string().max(200).optional().catch(undefined),
    definition: z.string().optional().catch(undefined),
    parentId: id.optional().catch(undefined),
    snapshot,
  }),
  z.object({ type: z.literal('@xstate.event'), ...common, event, sourceId: id.optional().catch(undefined) }),
  z.object({ type: z.literal('@xstate.snapshot'), ...common, event, snapshot }),
]);

/** A message of an actor of another program, with only its valid fields. */
export type ReceivedMessage = z.output<typeof inspectionMessage>;

/** Null for text that is no message of `@statelyai/inspect`. */
export function readMessage(text: string): ReceivedMessage | null {
  const read = inspectionMessage.safeParse(parseJson(text));
  return read.success ? read.data : null;
}
