/** What a command of Detent does, as far as the page can do the same. */
export type Step =
  | { does: 'goOn' | 'look'; runId: string }
  | { does: 'fork'; runId: string; at: number }
  | { does: 'say'; prompt: string }
  /** In the chat of the session: it shows what is decided on, and has the field for the words. */
  | { does: 'decide' | 'answer' | 'send' };

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
  if (prompt !== '') return /^[A-Z ]+$/.test(prompt) ? { does: 'send' } : { does: 'say', prompt };
  if (/^detent runs (?:confirm|reconcile) /.test(command))
    return { does: / --answer /.test(command) ? 'answer' : 'decide' };
  if (command.startsWith('detent workflow answer ')) return { does: 'answer' };
  return command.startsWith('detent workflow send ') ? { does: 'send' } : null;
}
