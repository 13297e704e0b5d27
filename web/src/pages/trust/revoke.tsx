import { useEffect, useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import { asClientError } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { t } from './words.ts';

const askedMs = 5_000;

/** A button that takes trust back at its second press: the first one only asks. */
export function Revoke({ what, revoke, done }: { what: string; revoke(): Promise<unknown>; done(): void }) {
  const [isAsked, askFirst] = useState(false);
  const [error, fail] = useState<ClientError | null>(null);
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => askFirst(false), askedMs);
    return () => clearTimeout(timer);
  }, [isAsked]);
  const press = () => {
    if (!isAsked) {
      askFirst(true);
      return;
    }
    revoke().then(done, (reason: unknown) => fail(asClientError(reason)));
  };
  return (
    <span class="revoke">
      {error && <Failure error={error} />}
      <button
        type="button"
        class={isAsked ? 'btn small danger' : 'btn small'}
        aria-label={isAsked ? undefined : t.revokeOf(what)}
        onClick={press}
      >
        {isAsked ? t.really : t.revoke}
      </button>
    </span>
  );
}
