import * as z from 'zod/mini';
import { about, idempotencyKey, named, word } from './fields.ts';
import type { Declarations } from './method.ts';

export const fileMethods = {
  'attachment.put': {
    scope: 'write',
    talk: true,
    summary: 'Stores a file for a later message. Over HTTP the body may be the file itself.',
    input: z.strictObject({
      data: about(z.base64(), 'The bytes, in base64.'),
      name: z.optional(word()),
      mimeType: about(z.optional(word()), 'Only a check: Detent detects the type from the bytes.'),
      idempotencyKey,
    }),
    output: named(
      'Upload',
      z.strictObject({
        id: z.string(),
        mimeType: z.string(),
        name: z.nullable(z.string()),
        bytes: about(z.int(), 'Size of the file.'),
      }),
    ),
    http: { verb: 'post', path: '/attachments', status: 201, takesFile: true },
    keyed: 'repeated',
  },
  'artifact.read': {
    scope: 'read',
    talk: true,
    summary:
      'An image, a document or a long output that an event or a result names. Over HTTP: the file itself.',
    input: z.strictObject({ id: word() }),
    output: named(
      'Artifact',
      z.strictObject({
        data: about(z.string(), 'The bytes, in base64.'),
        mimeType: z.string(),
        name: z.exactOptional(z.string()),
        runId: about(z.string(), 'The run whose message has it.'),
        sessionId: z.string(),
      }),
    ),
    http: { verb: 'get', path: '/artifacts/{id}', isFile: true },
  },
} satisfies Declarations;
