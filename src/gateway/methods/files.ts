import { z } from 'zod';
import { checkOwned, ofCaller } from '../owners.ts';
import { view } from './fields.ts';
import { type Method, method } from './method.ts';

const name = z.string().min(1).max(200);
const mimeType = z.string().min(1).max(200);

export const fileMethods: readonly Method[] = [
  method({
    name: 'attachment.put',
    scope: 'write',
    summary: 'Stores a file for a message to come. Over HTTP the body may be the file itself.',
    input: z.strictObject({
      data: z.base64().describe('The bytes, in base64.'),
      name: name.optional(),
      mimeType: mimeType.optional().describe('Only a check: the type is detected from the bytes.'),
    }),
    output: view({ id: z.string(), mimeType: z.string(), bytes: z.int() }, 'Upload'),
    http: { verb: 'post', path: '/attachments', status: 201, takesFile: true },
    keyed: 'repeated',
    perform: async ({ detent, caller }, { data, name, mimeType }) => ({
      ...(await detent.attachments.put(data, {
        ...ofCaller(caller),
        ...(name !== undefined && { name }),
        ...(mimeType !== undefined && { mimeType }),
      })),
    }),
  }),
  method({
    name: 'artifact.read',
    scope: 'read',
    summary:
      'An image, a document or a long output that an event or a result names. Over HTTP: the file itself.',
    input: z.strictObject({ id: z.string().min(1).max(200) }),
    output: view({ data: z.string().describe('The bytes, in base64.'), mimeType: z.string() }, 'Artifact'),
    http: { verb: 'get', path: '/artifacts/{id}', isFile: true },
    async perform(call, { id }) {
      const { detent, caller } = call;
      const { bytes, ...about } = await detent.artifacts.read(id, caller.tenantId);
      await checkOwned(call, about.runId, `no artifact "${id}"`);
      return { ...about, data: Buffer.from(bytes).toString('base64') };
    },
  }),
];
