import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** For a dialog that lies over the page for as long as it is drawn. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return dialog;
}
