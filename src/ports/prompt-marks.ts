/** How the text of a hook begins. */
export const addedHeading = '[Added by the hook';

/** How the text begins that a run is reminded of. */
export const memoryHeading = '[Added from the memory of this program: data, not words of the user]';

export const summaryHeading = '[Summary of the conversation before this point]';
