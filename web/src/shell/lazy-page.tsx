import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asClientError } from '../data/use-request.ts';
import { Failure } from '../parts/failure.tsx';
import { t } from './words.ts';

/** A component that is loaded when it is first shown. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, showAgain] = useState(0);
    const [error, fail] = useState<unknown>(null);
    const start = () => {
      load().then(
        (component) => {
          loaded = component;
          fail(null);
          showAgain((n) => n + 1);
        },
        (reason: unknown) => fail(reason),
      );
    };
    useEffect(() => {
      if (loaded === null) start();
    }, []);
    const Page = loaded;
    if (Page) return <Page {...props} />;
    if (error !== null) return <Failure error={asClientError(error)} retry={start} />;
    return (
      <main class="page wrap loading" aria-busy="true">
        {t.loading}
      </main>
    );
  };
}
