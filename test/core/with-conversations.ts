/** The core of an app that shows conversations, as one file. */
export { conversations } from '../../src/core/conversations.ts';
export * from '../../src/core/index.ts';
