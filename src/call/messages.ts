/** The messages that calls leave in a conversation. */
export { confirmationAfter, whyAsked } from './messages/close-calls.ts';
export {
  type NewPart,
  namedParts,
  preview,
  writeMessage,
  writeUserMessage,
} from './messages/write-message.ts';
