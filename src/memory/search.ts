/** The index of a memory and of conversations, and who searches them. */
export { Conversations, nothingSaid } from './conversations/conversations.ts';
export { embeddingsOf } from './embeddings/configured.ts';
export { evaluate, misspelt } from './eval/evaluate.ts';
export { IndexThread } from './index/index-client.ts';
