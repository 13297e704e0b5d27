/** All that is kept of a user: to give it to another, to show it, and to delete it. */
export type { Claim, ClaimAnswer, Claimed } from './users/claim.ts';
export { exportUser } from './users/export.ts';
export { type Forgetting, type Forgotten, Users } from './users/users.ts';
