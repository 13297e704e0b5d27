import type { fileMethods as declared } from '../../protocol/methods.ts';
import { checkOwned } from '../access/owners.ts';
import { ofCaller } from '../feeds/sight.ts';
import type { Performers } from './method.ts';

export const filePerformers = {
  'attachment.put': async ({ detent, caller }, { data, name, mimeType }) =>
    detent.attachments.put(data, {
      ...ofCaller(caller),
      ...(name !== undefined && { name }),
      ...(mimeType !== undefined && { mimeType }),
    }),
  async 'artifact.read'(call, { id }) {
    const { detent, caller } = call;
    const { bytes, ...about } = await detent.artifacts.read(id, caller.tenantId);
    await checkOwned(call, about.runId, `no artifact "${id}"`);
    return { ...about, data: Buffer.from(bytes).toString('base64') };
  },
} satisfies Performers<typeof declared>;
