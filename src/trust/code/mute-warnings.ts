/**
 * Silences Node's advice to set "type" in package.json when a configuration is a module, and that it strips types.
 *
 * @returns what ends that
 */
export function muteModuleWarnings(): () => void {
  const { emitWarning } = process;
  const quiet = (warning: unknown, ...rest: unknown[]) => {
    const [options] = rest;
    const code =
      typeof options === 'object' && options !== null ? (options as { code?: unknown }).code : rest[1];
    const type =
      typeof options === 'object' && options !== null ? (options as { type?: unknown }).type : options;
    if (code === 'MODULE_TYPELESS_PACKAGE_JSON' || type === 'ExperimentalWarning') return;
    (emitWarning as (...args: unknown[]) => void)(warning, ...rest);
  };
  process.emitWarning = quiet as typeof process.emitWarning;
  return () => {
    process.emitWarning = emitWarning;
  };
}
