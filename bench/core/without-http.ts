/** The core for an app whose models are functions of its own. */
import '../../src/core/globals.ts';

export { createCore } from '../../src/core/create-core.ts';
export { unanswered } from '../../src/protocol/content.ts';
export { defineTool } from '../../src/protocol/tool.ts';
