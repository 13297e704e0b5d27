/**
 * What an action of our charts does, beside what xstate has made of it: it changes the context, or makes several changes and
 * requests one after the other. No such action needs an actor, so the engine can perform it by itself.
 */
export type Own = { assignment: unknown } | { collect: unknown };

interface OwnAction {
  own: Own;
}

export function owned<Action extends object>(action: Action, own: Own): Action & OwnAction {
  return Object.assign(action, { own });
}

type Each<Made, Of> = { [Name in keyof Made]: Of };

/** The `assign` and `enqueueActions` of a setup, whose actions say what they do; also of several at once, by their names. */
export function owning<Assignment, Assign extends object, Collect, Enqueue extends object>(setup: {
  assign: (assignment: Assignment) => Assign;
  enqueueActions: (collect: Collect) => Enqueue;
}) {
  const assign = (assignment: Assignment) => owned(setup.assign(assignment), { assignment });
  const enqueueActions = (collect: Collect) => owned(setup.enqueueActions(collect), { collect });
  const each = <One, Own, All extends Record<string, One>>(all: All, make: (one: One) => Own) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, make(one)])) as Each<All, Own>;
  return {
    assign,
    enqueueActions,
    assignAll: <All extends Record<string, Assignment>>(all: All) => each(all, assign),
    enqueueAll: <All extends Record<string, Collect>>(all: All) => each(all, enqueueActions),
  };
}
