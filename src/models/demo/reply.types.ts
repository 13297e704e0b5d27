import type { ModelError } from '../../protocol/content.ts';
import type { DemoCall } from './forms.ts';

/** The demo's answer: text, calls, or both; at least one of them, or an error that it plays. */
export interface Reply {
  text: string;
  reasoning?: string;
  calls: readonly DemoCall[];
  error?: ModelError;
  isTour?: true;
}

/** What the demo knows of a call besides the request. */
export interface Situation {
  /** The number of the call among the effects of its run, from its key; NaN for a key of another kind. */
  effect: number;
  /** How long the busy provider of the tour asks to wait, in milliseconds. */
  busyMs: number;
}
