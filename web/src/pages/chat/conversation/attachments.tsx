import { useEffect, useState } from 'preact/hooks';
import { bytes } from '../../../base/format.ts';
import type { Attachment } from '../../../data/conversation/entries.ts';
import { t } from '../words.ts';
import { readArtifact, saveArtifact } from './artifact.ts';

/** Images and documents of a message or a result. Each is read when a person asks for it. */
export function Attachments({ parts }: { parts: readonly Attachment[] }) {
  return (
    <ul class="parts">
      {parts.map((part) => (
        <AttachmentView key={part.artifact} part={part} />
      ))}
    </ul>
  );
}

function AttachmentView({ part }: { part: Attachment }) {
  const { artifact, type, mimeType, name = mimeType } = part;
  const [url, show] = useState<string | null>(null);
  const [error, fail] = useState<string | null>(null);
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url]);
  const failed = (reason: unknown) => fail(reason instanceof Error ? reason.message : String(reason));
  const showImage = () => readArtifact(artifact).then((blob) => show(URL.createObjectURL(blob)), failed);
  const isImage = type === 'image';
  return (
    <li>
      {url !== null && <img src={url} alt={name} onError={() => fail(mimeType)} />}
      <p>
        <span class="cut">{name}</span>
        {isImage && url === null && (
          <button type="button" class="btn small" onClick={showImage}>
            {t.showImage(bytes(part.bytes))}
          </button>
        )}
        {(!isImage || url !== null) && (
          <button type="button" class="btn small" onClick={() => saveArtifact(artifact, name).catch(failed)}>
            {t.download(bytes(part.bytes))}
          </button>
        )}
      </p>
      {error !== null && <p role="alert">{t.fileFailed(error)}</p>}
    </li>
  );
}
