const program =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="detent-program"]')?.content ?? 'detent';

/** A command of Detent as it must be typed where this gateway was started: `npm run -s detent -- runs list` in a clone. */
export function asTyped(command: string): string {
  return command.replace(/^detent /, () => `${program} `);
}
