import type { AnyStateMachine } from 'xstate';

/**
 * The configuration of a machine as JSON, for inspectors: guards, actions and delays by their names, and of a function its name
 * alone, as `@statelyai/inspect` writes it.
 */
export function definitionJson({ config }: AnyStateMachine): string {
  return JSON.stringify(config, (_key, value: unknown) =>
    typeof value === 'function' ? { type: value.name } : value,
  );
}
