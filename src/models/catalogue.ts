/** Names of models, and the providers and windows that Detent knows. */
export { fullModelName, outputWithin, parseModelName, unknownModel } from './catalogue/model-name.ts';
export { defaultModel, presetOf, presets } from './catalogue/presets.ts';
export { priceLists, priceOf } from './catalogue/prices.ts';
export { windowOf } from './catalogue/windows.ts';
