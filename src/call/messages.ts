/** The messages that calls leave in a conversation. */
export { confirmationAfter, outcomeUnknown, whyAsked } from './messages/close-calls.ts';
export {
  type NewPart,
  namedParts,
  preview,
  writeMessage,
  writeUserMessage,
} from './messages/write-message.ts';
