import { useEffect, useRef, useState } from 'preact/hooks';
import type { ClientError } from '#src/client/index.ts';
import { errorToKeep } from '../../../../parts/why/finding.ts';
import { type AttachedFile, isImage, upload, whyRefused } from './files.ts';
import { t } from './words.ts';

interface Files {
  files: readonly AttachedFile[];
  /** Why the last files were not taken, a line each. */
  refused: readonly string[];
  isUploading: boolean;
  add(added: Iterable<File>): void;
  remove(key: number): void;
  clear(): void;
}

/** The files of the message in the making. Each is sent to the gateway at once; the message then names it. */
export function useFiles(): Files {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const lastKey = useRef(0);
  const current = useRef(files);
  current.current = files;
  useEffect(() => () => release(current.current), []);

  const remove = (key: number) =>
    setFiles((now) => {
      release(now.filter((file) => file.key === key));
      return now.filter((file) => file.key !== key);
    });

  function add(added: Iterable<File>): void {
    const taken = [...files];
    const reasons: string[] = [];
    for (const file of added) {
      const why = whyRefused(file, taken);
      if (why !== null) {
        reasons.push(t.refused(file.name, why));
        continue;
      }
      const key = ++lastKey.current;
      const thumbnail = isImage(file) ? URL.createObjectURL(file) : null;
      taken.push({ key, name: file.name || 'pasted', bytes: file.size, thumbnail, id: null });
      upload(file).then(
        (id) => setFiles((now) => now.map((one) => (one.key === key ? { ...one, id } : one))),
        async (error: ClientError) => {
          remove(key);
          const why = await errorToKeep(error);
          setRefused((now) => [...now, t.refused(file.name, why)]);
        },
      );
    }
    setFiles(taken);
    setRefused(reasons);
  }

  return {
    files,
    refused,
    isUploading: files.some(({ id }) => id === null),
    add,
    remove,
    clear() {
      release(files);
      setFiles([]);
      setRefused([]);
    },
  };
}

function release(files: readonly AttachedFile[]): void {
  for (const { thumbnail } of files) if (thumbnail !== null) URL.revokeObjectURL(thumbnail);
}
