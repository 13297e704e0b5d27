/** What a header such as `Accept` lists, without what its client refuses (`q=0`), in lower case. */
function listed(header: string | null): { accepted: Set<string>; refused: Set<string> } {
  const accepted = new Set<string>();
  const refused = new Set<string>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    (isRefused ? refused : accepted).add(name);
  }
  return { accepted, refused };
}

/** Whether a client names a type itself. A program asks for any type, which is no wish for a page. */
export function isAccepted(header: string | null, type: string): boolean {
  return listed(header).accepted.has(type);
}

/**
 * The first of the encodings that a client takes; null for none.
 *
 * @param available in the order of preference
 */
export function acceptedEncoding(
  header: string | null,
  available: ReadonlyMap<string, unknown>,
): string | null {
  const { accepted, refused } = listed(header);
  for (const encoding of available.keys())
    if (accepted.has(encoding) || (accepted.has('*') && !refused.has(encoding))) return encoding;
  return null;
}

/** Whether a client has the representation with this tag. A proxy that compresses makes tags weak. */
export function isKnownTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
