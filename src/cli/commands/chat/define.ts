import type { DetentCommand } from '../command.ts';

export function defineChat(program: DetentCommand): void {
  program
    .command('chat')
    .summary('a conversation on the terminal')
    .description(
      'A conversation on the terminal. /help lists its commands; Ctrl-C stops the answer, Ctrl-D leaves. Without a terminal, each line of stdin is a message.',
    )
    .continueOption()
    .runOptions()
    .servedPlaceOptions()
    .optionsGroup('Output:')
    .option('--no-color', 'no colours and no rendered Markdown, as with NO_COLOR=1')
    .option(
      '--no-markdown',
      'show answers as plain text; by default a terminal with colours renders Markdown',
    )
    .examples(
      'detent chat --continue',
      'detent chat --session holiday',
      'printf "hello\\nwhat is 2+3?\\n" | detent chat',
    )
    .performedBy(async () => (await import('./chat-command.ts')).chatCommand);
}
