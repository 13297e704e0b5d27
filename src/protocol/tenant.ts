/**
 * The tenant of a person who works in the workspace itself. The first migration makes it; all others are people that a
 * host serves.
 */
export const defaultTenant = 1;
