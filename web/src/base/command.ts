const program =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="detent-program"]')?.content ?? 'detent';

/** A command of Detent as it must be typed where this gateway was started: `npm run -s detent -- runs list` in a clone. */
export function asTyped(command: string): string {
  return command.replace(/^detent /, () => `${program} `);
}

/** What npm starts for these: the process itself, which a shell can end by `$!`. */
const withoutNpm: Readonly<Record<string, string>> = {
  'npm run -s detent --': 'node_modules/.bin/node src/cli/main.ts',
  'npx detent': 'node_modules/.bin/detent',
};

/** A line for a shell with each command of Detent in it as it must be typed here. */
export function lineAsTyped(line: string, typed = program): string {
  const name = line.includes('$!') ? (withoutNpm[typed] ?? typed) : typed;
  return line.replaceAll(/(^|[;&|] *)detent /g, (_, before: string) => `${before}${name} `);
}
