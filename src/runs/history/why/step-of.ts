import type { MethodOutput } from '../../../protocol/methods.ts';

type Step = MethodOutput<'run.why'>['next'][number]['step'];

/**
 * What a command of an advice does, for clients that have no shell. A flag beyond these leaves it to the terminal, and so do words in
 * capitals, which the reader fills in.
 */
export function stepOf(command: string): Step {
  const fork = /^detent runs fork (\S+) --at (\d+)$/.exec(command);
  if (fork) return { does: 'fork', runId: fork[1] ?? '', at: Number(fork[2]) };
  const [, verb = '', runId = ''] = /^detent runs (resume|why) (\S+)$/.exec(command) ?? [];
  if (verb !== '') return { does: verb === 'resume' ? 'goOn' : 'look', runId };
  const said = /^detent run --session \S+(?: --(?:agent|model) \S+)* "(?<prompt>[^"]+)"$/.exec(command);
  const prompt = said?.groups?.prompt ?? '';
  if (prompt !== '') return /^[A-Z ]+$/.test(prompt) ? { does: 'write' } : { does: 'say', prompt };
  const [, asking] = /^detent (?:runs (?:confirm|reconcile)|workflow answer) (\S+) /.exec(command) ?? [];
  if (asking !== undefined)
    return { does: /^detent workflow| --answer /.test(command) ? 'answer' : 'decide', runId: asking };
  const [, to = '', type = ''] =
    /^detent workflow send (\S+) ([\w.-]+)(?: --data '.*')?$/.exec(command) ?? [];
  return to === '' || type === 'EVENT' ? null : { does: 'send', runId: to, type };
}
