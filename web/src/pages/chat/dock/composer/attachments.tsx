import type { AttachedFile } from './files.ts';
import { t } from './words.ts';

interface AttachmentsProps {
  files: readonly AttachedFile[];
  refused: readonly string[];
  remove(key: number): void;
}

/** The files of the message, and what was refused and why. */
export function Attachments({ files, refused, remove }: AttachmentsProps) {
  if (files.length === 0 && refused.length === 0) return null;
  return (
    <div class="atts">
      {files.length > 0 && (
        <ul>
          {files.map(({ key, name, thumbnail, id }) => (
            <li key={key} class="att" aria-busy={id === null}>
              {thumbnail !== null && <img src={thumbnail} alt="" width="28" height="28" />}
              <span class="cut">{name}</span>
              {id === null && <span class="dim">{t.uploading}</span>}
              <button type="button" aria-label={t.removeFile(name)} onClick={() => remove(key)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div role="alert">
        {refused.map((words) => (
          <p key={words} class="att-refused">
            {words}
          </p>
        ))}
      </div>
    </div>
  );
}
