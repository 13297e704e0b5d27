import * as z from '../../text/schema-kinds.ts';

const maxSteps = 1_000;

/** The arguments of `task`. */
export const taskParameters = z.strictObject({
  description: z.string().max(200).optional().describe('The work in a few words, for the user'),
  prompt: z.string().trim().min(1).max(100_000),
  agent: z.string().max(100).optional().describe('Who does it; default an agent like you'),
  tools: z
    .array(z.string().max(100))
    .max(100)
    .optional()
    .describe('The only tools it may use, of those that you have; default all of them'),
  max_steps: z.int().min(1).max(maxSteps).optional(),
});
