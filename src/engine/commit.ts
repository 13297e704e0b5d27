/** What a commit takes and gives, and the links between runs that it writes. */
export { type Receipt, Settled } from './commit/commit.ts';
export { type Creation, create, Exists } from './commit/create.ts';
export {
  isFenced,
  LeftFor,
  leavingUser,
  notFound,
  refuseLeaving,
  refuseOtherUsers,
} from './commit/errors.ts';
export { type Addressee, type ChildEnd, childEnded, letterOf, parentOf } from './commit/links.ts';
export { isRepeated, noteEffect, type Repeatable, underWay } from './commit/noted-requests.ts';
