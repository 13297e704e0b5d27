import type { DetentCommand } from '../command.ts';

const skillArgument = ['<SKILL>', 'a skill, as "detent skills list" prints it'] as const;

export function defineSkills(program: DetentCommand): void {
  const skills = program.command('skills').summary('instructions for kinds of tasks (Agent Skills)');

  skills
    .command('list')
    .summary('each skill, and where it was found')
    .description(
      'The skills of Detent, of DETENT_HOME (default: ~/.detent), of this workspace and of the configuration. Files that cannot be used follow on stderr, with the reason.',
    )
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent skills list', `detent skills list --json | jq '.bad'`)
    .performedBy(async () => (await import('./show.ts')).listSkills);

  skills
    .command('show')
    .summary('one skill: its text, its tools, whether it is trusted')
    .description('A skill with its text, the tools that it allows and confirms, its files and its hash.')
    .argument(...skillArgument)
    .jsonOption()
    .placeOptions()
    .examples('detent skills show code-review', 'detent skills show code-review --json | jq .checklist')
    .performedBy(async () => (await import('./show.ts')).showSkill);

  skills
    .command('validate <DIR>')
    .summary('check every SKILL.md in a folder')
    .description(
      'Reads every SKILL.md in DIR and below it, and lists errors that prevent loading, and what other programs may reject. Exit code 0 if all of them load, else 1.',
    )
    .jsonOption()
    .placeOptions()
    .examples(
      'detent skills validate skills',
      `detent skills validate skills --json | jq '.[] | select(.loads | not)'`,
    )
    .performedBy(async () => (await import('./change.ts')).validateSkills);

  skills
    .command('new <NAME>')
    .summary('create a folder with a SKILL.md to fill in')
    .description('Creates NAME/SKILL.md in the folder "skills" of the workspace. Changes no existing file.')
    .option('--in <DIR>', 'the folder in which to create it')
    .option('--description <TEXT>', 'what it does, and when to use it')
    .jsonOption()
    .placeOptions()
    .examples(
      'detent skills new release-notes',
      'detent skills new tea --in .claude/skills --description "Makes tea. Use when the user is thirsty."',
    )
    .performedBy(async () => (await import('./change.ts')).newSkill);

  skills
    .command('why <INPUT>')
    .summary('which skills a run with a prompt would offer')
    .description(
      'How well each skill matches the words of INPUT, and which skills the model would see. The model chooses one or none; "detent runs show" says which one a run used.',
    )
    .jsonOption()
    .placeOptions()
    .examples('detent skills why "look over my last commit"')
    .performedBy(async () => (await import('./show.ts')).whySkills);

  skills
    .command('approve')
    .summary('trust a skill with its current files')
    .description(
      'Trusts a skill until one of its files changes: of the calls in its allowed-tools, only those in its confirm-before then ask. Detent stores the approval in DETENT_HOME (default: ~/.detent).',
    )
    .argument(...skillArgument)
    .jsonOption()
    .placeOptions()
    .examples('detent skills show release-notes', 'detent skills approve release-notes')
    .performedBy(async () => (await import('./change.ts')).approveSkill);

  skills
    .command('revoke')
    .summary('stop trusting a skill')
    .description('Revokes every approval of a skill with this name.')
    .argument(...skillArgument)
    .jsonOption()
    .placeOptions()
    .examples('detent skills revoke release-notes')
    .performedBy(async () => (await import('./change.ts')).revokeSkill);
}
