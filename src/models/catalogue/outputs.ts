/** Claude models without structured outputs. All later ones have them. */
const without = /claude-(2|3|instant)|claude-(opus|sonnet)-4(-0|-1)?(-\d{8})?(-latest)?$/;

/**
 * Whether Anthropic holds the answers of this model to an output schema.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function hasStructuredOutputs(model: string): boolean {
  return model.includes('claude') && !without.test(model);
}
