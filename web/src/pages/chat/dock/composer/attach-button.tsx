import { useRef } from 'preact/hooks';
import { Icon } from '../../../../parts/icon.tsx';
import { limitsInWords } from './files.ts';
import { t } from './words.ts';

/** Chooses files for the message. */
export function AttachButton({ attach }: { attach(files: Iterable<File>): void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="btn ghost small"
        aria-label={t.attach}
        title={limitsInWords()}
        onClick={() => picker.current?.click()}
      >
        <Icon size={15} path="M12.5 7 7.5 12a3 3 0 0 1-4.3-4.3l5.3-5.2a2 2 0 0 1 2.9 2.9l-5.1 5" />
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t.attach}
        onChange={(event) => {
          attach(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
