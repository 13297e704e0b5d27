import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions, servedPlaceOptions } from '../options.ts';

const skillArgument = ['<SKILL>', 'a skill, as "detent skills list" prints it'] as const;

export function defineSkills(program: Command, performedBy: PerformedBy): void {
  const skills = program.command('skills').summary('instructions for kinds of tasks (Agent Skills)');
  const list = skills
    .command('list')
    .summary('each skill, and where it was found')
    .description(
      'The skills of Detent, of DETENT_HOME (default: ~/.detent), of this workspace and of the configuration. Files that cannot be used follow on stderr, with the reason.',
    );
  servedPlaceOptions(jsonOption(list));
  examples(list, 'detent skills list', `detent skills list --json | jq '.bad'`);
  performedBy(list, async () => (await import('./show.ts')).listSkills);

  const show = skills
    .command('show')
    .summary('one skill: its text, its tools, whether it is trusted')
    .description('A skill with its text, the tools that it allows and confirms, its files and its hash.')
    .argument(...skillArgument);
  placeOptions(jsonOption(show));
  examples(show, 'detent skills show code-review', 'detent skills show code-review --json | jq .checklist');
  performedBy(show, async () => (await import('./show.ts')).showSkill);

  const validate = skills
    .command('validate <DIR>')
    .summary('check every SKILL.md in a folder')
    .description(
      'Reads every SKILL.md in DIR and below it, and lists errors that prevent loading, and what other programs may reject. Exit code 0 if all of them load, else 1.',
    );
  placeOptions(jsonOption(validate));
  examples(
    validate,
    'detent skills validate skills',
    `detent skills validate skills --json | jq '.[] | select(.loads | not)'`,
  );
  performedBy(validate, async () => (await import('./change.ts')).validateSkills);

  const create = skills
    .command('new <NAME>')
    .summary('create a folder with a SKILL.md to fill in')
    .description('Creates NAME/SKILL.md in the folder "skills" of the workspace. Changes no existing file.')
    .option('--in <DIR>', 'the folder in which to create it')
    .option('--description <TEXT>', 'what it does, and when to use it');
  placeOptions(jsonOption(create));
  examples(
    create,
    'detent skills new release-notes',
    'detent skills new tea --in .claude/skills --description "Makes tea. Use when the user is thirsty."',
  );
  performedBy(create, async () => (await import('./change.ts')).newSkill);

  const why = skills
    .command('why <INPUT>')
    .summary('which skills a run with a prompt would offer')
    .description(
      'How well each skill matches the words of INPUT, and which skills the model would see. The model chooses one or none; "detent runs show" says which one a run used.',
    );
  placeOptions(jsonOption(why));
  examples(why, 'detent skills why "look over my last commit"');
  performedBy(why, async () => (await import('./show.ts')).whySkills);

  const approve = skills
    .command('approve')
    .summary('trust a skill with its current files')
    .description(
      'Trusts a skill until one of its files changes: of the calls in its allowed-tools, only those in its confirm-before then ask. Detent stores the approval in DETENT_HOME (default: ~/.detent).',
    )
    .argument(...skillArgument);
  placeOptions(jsonOption(approve));
  examples(approve, 'detent skills show release-notes', 'detent skills approve release-notes');
  performedBy(approve, async () => (await import('./change.ts')).approveSkill);

  const revoke = skills
    .command('revoke')
    .summary('stop trusting a skill')
    .description('Revokes every approval of a skill with this name.')
    .argument(...skillArgument);
  placeOptions(jsonOption(revoke));
  examples(revoke, 'detent skills revoke release-notes');
  performedBy(revoke, async () => (await import('./change.ts')).revokeSkill);
}
