/** The tools that Detent brings, and those that a client performs. */
export { calculatorTool } from './builtin/calculator.ts';
export { clientToolSpecs, withClientTools } from './builtin/client-tools.ts';
export { builtinTools } from './builtin/index.ts';
export { type PreparedShell, prepareShell } from './builtin/prepare-shell.ts';
