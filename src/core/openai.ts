import './globals.ts';

/** Models over HTTP for a core, in a file of its own: a model on the device does not need it. See docs/core.md. */
export { createOpenAIChat } from '../models/wire.ts';
