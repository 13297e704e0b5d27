import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

const skillArgument = ['<SKILL>', 'a skill, as "detent skills list" prints it'] as const;

export function defineSkills(program: Command, performedBy: PerformedBy): void {
  const skills = program.command('skills').summary('instructions for kinds of tasks (Agent Skills)');
  const list = skills
    .command('list')
    .summary('each skill, and where it was found')
    .description(
      'The skills of Detent, of DETENT_HOME (default: ~/.detent), of this workspace and of the configuration. Files that cannot be used follow on stderr, with the reason.',
    );
  placeOptions(jsonOption(list));
  examples(list, 'detent skills list', `detent skills list --json | jq '.bad'`);
  performedBy(list, async () => (await import('./list.ts')).listSkills);

  const show = skills
    .command('show')
    .summary('one skill: its text, its tools, whether it is trusted')
    .description('A skill with its text, what it allows and has asked about, its files and its hash.')
    .argument(...skillArgument);
  placeOptions(jsonOption(show));
  examples(show, 'detent skills show code-review', 'detent skills show code-review --json | jq .checklist');
  performedBy(show, async () => (await import('./show.ts')).showSkill);

  const validate = skills
    .command('validate <DIR>')
    .summary('look at every SKILL.md in a folder')
    .description(
      'Reads every SKILL.md in DIR and below it, and says what keeps it from being loaded and what others may stumble over. Ends with 0 when all of them can be loaded, else with 1.',
    );
  placeOptions(jsonOption(validate));
  examples(
    validate,
    'detent skills validate skills',
    `detent skills validate skills --json | jq '.[] | select(.loads | not)'`,
  );
  performedBy(validate, async () => (await import('./validate.ts')).validateSkills);

  const create = skills
    .command('new <NAME>')
    .summary('a folder with a SKILL.md to be filled in')
    .description(
      'Makes NAME/SKILL.md in the folder "skills" of the workspace. What is there already stays as it is.',
    )
    .option('--in <DIR>', 'the folder in which it is made')
    .option('--description <TEXT>', 'what it does, and when to use it');
  placeOptions(jsonOption(create));
  examples(
    create,
    'detent skills new release-notes',
    'detent skills new tea --in .claude/skills --description "Makes tea. Use when somebody is thirsty."',
  );
  performedBy(create, async () => (await import('./new.ts')).newSkill);

  const why = skills
    .command('why <INPUT>')
    .summary('which skills a prompt would be offered')
    .description(
      'How well each skill fits INPUT by its words, and what the model would be shown. Which one it takes, if any, is for the model: "detent runs show" says that of a run.',
    );
  placeOptions(jsonOption(why));
  examples(why, 'detent skills why "look over my last commit"');
  performedBy(why, async () => (await import('./why.ts')).whySkills);

  const approve = skills
    .command('approve')
    .summary('trust a skill as it is')
    .description(
      'Lets the confirm-before of a skill spare questions, for as long as none of its files changes. It is written down in DETENT_HOME (default: ~/.detent).',
    )
    .argument(...skillArgument);
  placeOptions(jsonOption(approve));
  examples(approve, 'detent skills show release-notes', 'detent skills approve release-notes');
  performedBy(approve, async () => (await import('./approve.ts')).approveSkill);

  const revoke = skills
    .command('revoke')
    .summary('trust a skill no more')
    .description('Takes back every approval of a skill of this name.')
    .argument(...skillArgument);
  placeOptions(jsonOption(revoke));
  examples(revoke, 'detent skills revoke release-notes');
  performedBy(revoke, async () => (await import('./approve.ts')).revokeSkill);
}
