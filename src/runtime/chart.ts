/** Statecharts as a page draws them. */
export { definitionOf } from './chart/definition.ts';
export { allStates, edgesOf } from './chart/edges.ts';
export { layoutOf } from './chart/layout.ts';
