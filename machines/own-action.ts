/**
 * What an action of our charts does, beside what xstate has made of it: it changes the context, or makes several changes and
 * requests one after the other. No such action needs an actor, so the engine can perform it by itself.
 */
export type Own = { assignment: unknown } | { collect: unknown };

export interface OwnAction {
  own: Own;
}

export function owned<Action extends object>(action: Action, own: Own): Action & OwnAction {
  return Object.assign(action, { own });
}

/** The `assign` and `enqueueActions` of a setup, whose actions say what they do. */
export function owning<Assignment, Assign extends object, Collect, Enqueue extends object>(setup: {
  assign: (assignment: Assignment) => Assign;
  enqueueActions: (collect: Collect) => Enqueue;
}) {
  return {
    assign: (assignment: Assignment) => owned(setup.assign(assignment), { assignment }),
    enqueueActions: (collect: Collect) => owned(setup.enqueueActions(collect), { collect }),
  };
}
