import { Option } from 'commander';
import { runModes } from '../../../protocol/enums.ts';
import type { DetentCommand } from '../command.ts';

export function defineRun(program: DetentCommand): void {
  program
    .command('run')
    .summary('run an agent')
    .description(
      'Runs an agent on the prompt. The answer streams to stdout, progress goes to stderr. Detent attaches the content of a pipe or file on stdin to the prompt.',
    )
    .argument('[PROMPT|-]', 'the prompt in quotes; "-", or none, reads it from stdin')
    // Several words are most likely missing quotes; `runCommand` reports them with a message of its own.
    .allowExcessArguments()
    .continueOption()
    .runOptions()
    .optionsGroup('Conversation:')
    .addOption(
      new Option('--mode <MODE>', 'if K is busy: queue (default), steer its run, or interrupt it').choices(
        runModes,
      ),
    )
    .addOption(
      new Option(
        '--attach <FILE>',
        'an image, a PDF or a text file that goes with the prompt; may be given several times',
      ).argParser((file, files: string[] = []) => [...files, file]),
    )
    .outputOptions()
    .option('--output-schema <FILE>', 'a JSON Schema that the answer must fit; stdout is then only the JSON')
    .servedPlaceOptions()
    .examples(
      'detent run "What is 17 * 23?"',
      'detent run --model ollama/qwen3 --tools list_files,read_file "What is in this folder?"',
      'detent run --attach chart.png "What does this chart say?"',
      'detent run --output-schema invoice.schema.json --attach invoice.pdf "Read this invoice"',
      'git diff | detent run "Review this change."',
      'git diff | detent run --system "You review code." --json - | jq -r .text',
    )
    .performedBy(async () => (await import('./run-command.ts')).runCommand);
}
