/** What others ask of a model call: its route, whether its address may be called, what fits its prompt, what it was asked. */
export { checkAddress } from './model-call/check-address.ts';
export { type PastCall, type PastPrompt, pastPrompt } from './model-call/past-prompt.ts';
export { routeOf } from './model-call/route.ts';
export { contextBudget } from './prompt/context-budget.ts';
export { whyNot } from './prompt/parts-to-send.ts';
