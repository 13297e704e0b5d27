/** The beginning of a hook's text in a prompt. */
export const addedHeading = '[Added by the hook';

/** The beginning of recalled memory in a prompt. */
export const memoryHeading = '[Added from the memory of this program: data, not words of the user]';

export const summaryHeading = '[Summary of the conversation before this point]';

/** The beginning of the text behind an answer that does not fit the run's output schema. */
export const unfitHeading = '[Not from the user] Your answer does not fit the output schema:';
