import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { Failure } from '../../parts/failure.tsx';
import { t } from './words.ts';

const askedMs = 5_000;

/** A button that takes trust back at its second press: the first one only asks. */
export function Revoke({ what, revoke, done }: { what: string; revoke(): Promise<unknown>; done(): void }) {
  const [isAsked, askFirst] = useState(false);
  const { error, act } = useAction();
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => askFirst(false), askedMs);
    return () => clearTimeout(timer);
  }, [isAsked]);
  const press = async () => {
    if (!isAsked) askFirst(true);
    else if (await act(revoke)) done();
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
