/** The other packages among the addresses of loaded modules. */
export const packagesOf = (modules: readonly string[]): string[] => {
  const names = modules.flatMap((url) => /.*node_modules\/(?!\.)((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return [...new Set(names)].filter((name) => name !== 'detent').sort();
};
