/** The core of an app that has workflows whose agents hand work on, as one file. */
export * from './with-sub-runs.ts';
export * from './with-workflows.ts';
