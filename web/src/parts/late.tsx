import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A component whose code is loaded when it is first shown; until then, and where it cannot be loaded, nothing. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Late(props: Props) {
    const [loaded, show] = useState<{ Part: ComponentType<Props> } | null>(null);
    useEffect(() => {
      load().then(
        (Part) => show({ Part }),
        () => {},
      );
    }, []);
    return loaded && <loaded.Part {...props} />;
  };
}
