/** What a command of Detent does, as far as the page can do the same. */
export type Step =
  | { does: 'goOn' | 'look'; runId: string }
  | { does: 'fork'; runId: string; at: number }
  | { does: 'say'; prompt: string }
  /** Over the page: what is decided on is shown first. */
  | { does: 'decide' | 'answer'; runId: string }
  /** What is sent is written first. */
  | { does: 'write' }
  | { does: 'send'; runId: string; type: string };

/**
 * Reads a command of an advice. A flag that the page has no button for leaves it to the terminal, and so do words in capitals, which the
 * reader fills in.
 */
export function stepOf(command: string): Step | null {
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
  const [, to = '', type = ''] = /^detent workflow send (\S+) ([\w.-]+)$/.exec(command) ?? [];
  return to === '' || type === 'EVENT' ? null : { does: 'send', runId: to, type };
}
