import { read as readMessages } from '../../anthropic/support.ts';
import { read as readResponses } from '../../openai/responses/support.ts';
import { type Outcome, read as readChat } from '../generate.ts';
import type { Wire } from '../recordings.ts';

/** Reads a body of a wire without HTTP. */
export const readers: Readonly<Record<Wire, (pieces: Iterable<Uint8Array | string>) => Outcome>> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'anthropic-messages': readMessages,
};
