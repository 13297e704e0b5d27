import type { LimitsConfig } from '../../protocol/config.ts';
import { defaults } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';

/** Maximum size of a prompt, in bytes of UTF-8. */
export function maxPromptBytesOf(limits: LimitsConfig | undefined): number {
  return limits?.maxPromptBytes ?? defaults.limits.maxPromptBytes;
}

/** @throws DetentError `EMPTY_PROMPT`, `PROMPT_TOO_LARGE`. */
export function checkPrompt(prompt: string, limits: LimitsConfig | undefined): void {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new DetentError('EMPTY_PROMPT', 'the prompt is empty; say what you want');
  const maxBytes = maxPromptBytesOf(limits);
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes > maxBytes)
    throw new DetentError(
      'PROMPT_TOO_LARGE',
      `the prompt has ${bytes} bytes, more than ${maxBytes}; put the text into a file and ask to read it, or raise limits.maxPromptBytes`,
      { details: { bytes, maxBytes } },
    );
}
