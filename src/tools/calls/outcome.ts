import { DetentError, describeThrown } from '../../protocol/error.ts';
import type { ToolOutcome } from '../../protocol/ports.ts';
import type { Tool } from '../../protocol/tool.ts';
import { contentOutcome, isToolContent } from './read-content.ts';

/**
 * A tool's return value as the model reads it: a string unchanged, `undefined` as '', content of the Model Context
 * Protocol as its text with its images and documents, anything else as JSON.
 */
export function returnedOutcome(value: unknown): ToolOutcome {
  if (typeof value === 'string') return { isError: false, code: null, text: value };
  if (value === undefined) return { isError: false, code: null, text: '' };
  // The JSON of a Buffer is an array of numbers about four times its size, and useless to a model.
  if (ArrayBuffer.isView(value)) return unusable('it is binary data');
  if (isToolContent(value)) return contentOutcome(value);
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? unusable(`it is a ${typeof value}`) : { isError: false, code: null, text };
  } catch (error) {
    return unusable(describeThrown(error));
  }
}

/** The outcome for an error that a tool threw: a `ToolFailure` keeps its code, anything else is `TOOL_FAILED`. */
export function thrownOutcome(thrown: unknown): ToolOutcome {
  return failed(toolCodeOf(thrown), describeThrown(thrown));
}

/** The outcome of a call that timed out or was aborted. `doubt`: it had begun, and may have taken effect. */
export function stoppedOutcome(tool: Tool, ended: 'timedOut' | 'aborted', doubt: boolean): ToolOutcome {
  const rider = doubt ? '; it may have taken effect all the same' : '';
  if (ended === 'aborted') return failed('ABORTED', `${tool.name} was cancelled before it finished${rider}`);
  return failed('TIMEOUT', `${tool.name} timed out after ${tool.timeoutMs / 1000} s${rider}`);
}

export function failed(code: string, text: string): ToolOutcome {
  return { isError: true, code, text };
}

function unusable(reason: string): ToolOutcome {
  return failed(
    'TOOL_RESULT_INVALID',
    `The tool ran, but its result cannot be shown as text or JSON: ${reason}`,
  );
}

function toolCodeOf(thrown: unknown): string {
  try {
    return DetentError.is(thrown) && thrown.code ? String(thrown.code) : 'TOOL_FAILED';
  } catch {
    return 'TOOL_FAILED';
  }
}
