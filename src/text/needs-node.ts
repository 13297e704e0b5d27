/** The lowest version of Node that Detent runs on; `engines` of package.json says the same. */
const lowest = 24;

/** Why Detent cannot run on this Node; null when it can. Has no syntax that an older Node does not read. */
export function nodeProblem(version: string): string | null {
  const [major = ''] = version.split('.');
  if (Number(major) >= lowest) return null;
  return `Detent needs Node ${lowest} or newer, and this is Node ${version}: install it from https://nodejs.org`;
}
