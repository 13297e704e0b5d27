import { awaitForeign } from '../engine/foreign-code.ts';
import type { ChatModel } from '../protocol/ports.ts';
import { withOutputInstruction } from './wire/output-instruction.ts';

/** A model of the host program, as runs call it. */
export function hostModel(chat: ChatModel, provider: string): ChatModel {
  const model = watched(chat, provider);
  // Of the model as it was given: a getter of its class is no field of what stands around it.
  return chat.nativeOutput ? model : instructed(model);
}

/** This is code of the host program: an error that it leaves behind fails its call, not the process. */
export function watched(chat: ChatModel, provider: string): ChatModel {
  const generate: ChatModel['generate'] = (request, options) =>
    awaitForeign(`the model of provider "${provider}"`, () => chat.generate(request, options));
  return { ...chat, generate };
}

/** A model of the host program, asked for its output schema by the prompt. */
function instructed(chat: ChatModel): ChatModel {
  return { ...chat, generate: (request, options) => chat.generate(withOutputInstruction(request), options) };
}
