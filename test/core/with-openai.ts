/** The core of an app with a model over HTTP, as one file. */
export * from '../../src/core/index.ts';
export { createOpenAIChat } from '../../src/core/openai.ts';
