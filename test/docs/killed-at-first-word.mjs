const kill = () => process.kill(process.pid, 'SIGKILL');

process.stdout.write = kill;

// What a step of a workflow says while it is at work; all else on stderr says how a run goes on.
const { write } = process.stderr;
process.stderr.write = (text, ...rest) =>
  String(text).startsWith('paying ') ? kill() : write.call(process.stderr, text, ...rest);
