/** The core of an app whose agents hand work on, as one file. */
export * from '../../src/core/index.ts';
export { subRuns } from '../../src/core/sub-runs.ts';
