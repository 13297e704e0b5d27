/** How the text of a hook begins. */
export const addedHeading = '[Added by the hook';

export const summaryHeading = '[Summary of the conversation before this point]';
