// Preloaded into every measured process: tells its CPU time and its peak of memory when it ends.
const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: peakKb() / 1024 }));
});

// The peak of `resourceUsage` begins with that of the process that started this one.
function peakKb() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.memoryUsage.rss() / 1024;
  }
}
