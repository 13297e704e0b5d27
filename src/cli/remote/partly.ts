import { DetentError } from '../../protocol/error.ts';

/** An object of which a gateway performs only these methods. The others throw `NOT_OVER_GATEWAY`. */
export function partly<T extends object>(methods: Partial<T>): T {
  return new Proxy(methods, {
    get: (target, name) => Reflect.get(target, name) ?? (typeof name === 'symbol' ? undefined : refuse),
  }) as T;
}

function refuse(): never {
  throw new DetentError(
    'NOT_OVER_GATEWAY',
    'this works only in the folder of the gateway itself: type it there, without --server',
  );
}
