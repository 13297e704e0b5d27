/** The page of a memory file: a name may have any character in it. */
export function pathOfFile(path: string): string {
  return `/memory/${path.split('/').map(encodeURIComponent).join('/')}`;
}
