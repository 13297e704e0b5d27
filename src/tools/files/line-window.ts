import type { FileHandle } from 'node:fs/promises';
import { type EndedLine, LineBuffer } from './line-buffer.ts';

interface WindowOptions {
  /** 1 is the first line. */
  firstLine: number;
  maxLines: number;
  /** Bytes of all lines together; at least one line is given. */
  maxBytes: number;
  /** Characters (UTF-16 units) of one line, its end not counted. */
  maxLineChars: number;
  signal: AbortSignal;
}

/** A range of a file's lines, exactly as they are in the file but for the `cut` ones. */
export interface LineWindow {
  lines: EndedLine[];
  /** Lines of the whole file; null when the file continues after the window. */
  totalLines: number | null;
  /** Whether the file has a NUL byte, so that it is no text. */
  binary: boolean;
}

const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** Reads a range of lines with bounded memory, however long the file or any of its lines is. */
export async function readWindow(handle: FileHandle, options: WindowOptions): Promise<LineWindow> {
  const { firstLine, maxLines, maxBytes, signal } = options;
  const lines: EndedLine[] = [];
  const buffer = new LineBuffer(options.maxLineChars);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let ended = 0;
  let bytes = 0;

  let open = false;

  /** Ends the current line; false = it does not fit into the window. */
  const endLine = (): boolean => {
    ended += 1;
    if (ended < firstLine) return true;
    const line = buffer.end();
    if (lines.length > 0 && bytes + line.bytes > maxBytes) return false;
    lines.push(line);
    bytes += line.bytes;
    return true;
  };

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, null);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    if (part.includes(0)) return { lines, totalLines: null, binary: true };
    for (let start = 0; start < part.length; ) {
      if (lines.length === maxLines) return { lines, totalLines: null, binary: false };
      const at = part.indexOf(newline, start);
      const end = at === -1 ? part.length : at + 1;
      open = at === -1;
      // Lines before the window are only counted.
      if (ended + 1 >= firstLine) buffer.add(part.subarray(start, end));
      if (at !== -1 && !endLine()) return { lines, totalLines: null, binary: false };
      start = end;
    }
  }
  if (open && !endLine()) return { lines, totalLines: null, binary: false };
  return { lines, totalLines: ended, binary: false };
}
