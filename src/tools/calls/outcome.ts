import type { Tool } from '../../ports/tool.ts';
import type { ToolOutcome } from '../../ports/toolbox.ts';
import { describeThrown } from '../../protocol/describe-thrown.ts';
import { DetentError } from '../../protocol/error.ts';
import { contentOutcome, isToolContent } from './read-content.ts';

/**
 * What a tool returned, as a model reads it: a string as it is, nothing as '', content of the Model Context Protocol as
 * its text with its images and documents, anything else as JSON.
 */
export function returnedOutcome(value: unknown): ToolOutcome {
  if (typeof value === 'string') return { isError: false, code: null, text: value };
  if (value === undefined) return { isError: false, code: null, text: '' };
  // A Buffer has a JSON form, an array of numbers some four times its size, which is of use to nobody.
  if (ArrayBuffer.isView(value)) return unusable('it is binary data');
  if (isToolContent(value)) return contentOutcome(value);
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? unusable(`it is a ${typeof value}`) : { isError: false, code: null, text };
  } catch (error) {
    return unusable(describeThrown(error));
  }
}

/** What a tool threw: a `ToolFailure` keeps its code, anything else is `TOOL_FAILED`. */
export function thrownOutcome(thrown: unknown): ToolOutcome {
  return failed(codeOf(thrown), describeThrown(thrown));
}

/** The end of a call that was not waited for any longer. `doubt`: it was under way, and changes things. */
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

function codeOf(thrown: unknown): string {
  try {
    return DetentError.is(thrown) && thrown.code ? String(thrown.code) : 'TOOL_FAILED';
  } catch {
    return 'TOOL_FAILED';
  }
}
