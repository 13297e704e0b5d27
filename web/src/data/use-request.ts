import { useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Input, Method, Output } from '#src/client/index.ts';
import { ClientError } from '#src/client/index.ts';
import { client, generation, whileSeen } from './connection.ts';

export interface Requested<T> {
  /** The newest answer, also while another one is on its way. */
  data: T | undefined;
  error: ClientError | undefined;
  /** No answer came yet. */
  isLoading: boolean;
  reload(): void;
}

/** Answers of this visit, so that a page that is opened again shows at once what it showed before. */
const answers = new Map<string, unknown>();
const maxAnswers = 200;

/**
 * Reads something of the gateway and keeps it fresh: again after each reconnect, and every `everyMs` while the page is visible.
 *
 * @param input null asks for nothing yet
 */
export function useRequest<M extends Method>(
  method: M,
  input: Input<M> | null,
  { everyMs }: { everyMs?: number } = {},
): Requested<Output<M>> {
  const key = input === null ? null : `${method} ${JSON.stringify(input)}`;
  const [shown, show] = useState<{ key: string | null; error?: ClientError }>({ key: null });
  const asked = useRef(0);

  const reload = useCallback(() => {
    if (key === null) return;
    const mine = ++asked.current;
    ask(method, input as Input<M>).then(
      (answer) => {
        remember(key, answer);
        if (mine === asked.current) show({ key });
      },
      (error: unknown) => {
        if (mine === asked.current) show({ key, error: asClientError(error) });
      },
    );
  }, [key]);

  useEffect(() => {
    reload();
    return () => {
      asked.current++;
    };
  }, [reload]);
  useSignalEffect(() => {
    if (generation.value > 1) reload();
  });
  useEffect(() => {
    if (everyMs !== undefined) return whileSeen(everyMs, reload);
  }, [reload, everyMs]);

  const data = key === null ? undefined : (answers.get(key) as Output<M> | undefined);
  const error = shown.key === key ? shown.error : undefined;
  return { data, error, isLoading: data === undefined && error === undefined, reload };
}

/** The newest value, also while another one is on its way: what shows it does not flicker. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}

/** One request, for what a person does. @throws ClientError */
export function ask<M extends Method>(method: M, input: Input<M>): Promise<Output<M>> {
  return (client().request as (method: M, input: Input<M>) => Promise<Output<M>>)(method, input);
}

/** What a request failed with. */
export function asClientError(error: unknown): ClientError {
  if (ClientError.is(error)) return error;
  return new ClientError('UNEXPECTED', error instanceof Error ? error.message : String(error));
}

function remember(key: string, answer: unknown): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
}
