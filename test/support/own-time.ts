/** The processor time of this thread that something takes, in milliseconds: what other programs take does not count. */
export function ownMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
