// xstate asks for the console as soon as it is loaded, and QuickJS has none.
import '../../src/core/globals.ts';

/** The core of an app with workflows, as one file, with what charts are written with. */
export { assign, setup } from 'xstate';
export * from '../../src/core/index.ts';
export * from '../../src/core/workflows.ts';
