import { DetentError } from '../protocol/error.ts';
import { type FollowedSkill, type InvokedSkill, type SkillSource, skillToolName } from '../protocol/ports.ts';
import { defineTool, type Tool } from '../protocol/tool.ts';
import { shortHash } from '../text/ids.ts';
import { skillText, skillToolDescription, toolRules, unknownSkill, wordsOfUser } from './files/skill-text.ts';

/** A skill without files: the program brings its text. */
export interface TextSkill {
  name: string;
  /** One line, for the model: what it is for. */
  description: string;
  /** The instructions. `$ARGUMENTS` is what the user said. */
  text: string;
  /** The only calls that may be made while it is followed: `pay`, `order_*`. Default: any. */
  tools?: readonly string[];
  /** The calls that need a person meanwhile; others in `tools` do not. */
  confirm?: readonly string[];
}

/** As many fit into the description of one tool. */
const maxSkills = 50;

/** The skills that a program brings as text. They are the program's own, and so they are trusted. */
export class TextSkills implements SkillSource {
  readonly #skills: ReadonlyMap<string, TextSkill>;
  readonly #matcher: (names: readonly string[]) => (name: string) => boolean;

  /**
   * @param matcher makes a predicate for the names that a list of names and patterns matches
   * @throws DetentError `INVALID_SKILL` for a skill without a name, description or text, for two of one name, and for more than 50
   */
  constructor(
    skills: readonly TextSkill[],
    matcher: (names: readonly string[]) => (name: string) => boolean,
  ) {
    this.#matcher = matcher;
    this.#skills = new Map(skills.map((skill) => [skill.name, skill]));
    const faulty = skills.find(({ name, description, text }) => !/^\S+$/.test(name) || !description || !text);
    if (faulty)
      throw invalid(
        `skill ${JSON.stringify(faulty.name)} needs a name without spaces, a description and a text`,
      );
    if (this.#skills.size < skills.length) throw invalid('two skills have one name; give each its own');
    if (skills.length > maxSkills)
      throw invalid(`there are ${skills.length} skills; as text, ${maxSkills} can be offered`);
  }

  async ready(): Promise<void> {}

  cards(allowed: readonly string[] | null) {
    return this.#allowed(allowed).map(({ name, description }) => ({ name, description }));
  }

  /** The model sees all of them. */
  rank() {
    return [];
  }

  async invoke(prompt: string, allowed: readonly string[] | null): Promise<InvokedSkill | null> {
    const [, name = '', words = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(prompt) ?? [];
    const skill = this.#allowed(allowed).find((one) => one.name === name);
    return skill ? { skill: followed(skill), text: textOf(skill, words, true) } : null;
  }

  async isTrusted({ name, hash }: Pick<FollowedSkill, 'name' | 'hash'>): Promise<boolean> {
    const skill = this.#skills.get(name);
    return skill !== undefined && followed(skill).hash === hash;
  }

  /** `skill`: returns the text of a skill. */
  tool(): Tool {
    return defineTool({
      name: skillToolName,
      description: skillToolDescription,
      jsonSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The skill' },
          arguments: { type: 'string', description: 'What it is to be used on, in the words of the user' },
        },
        required: ['name'],
      },
      sideEffect: 'readonly',
      run: ({ name, arguments: words = wordsOfUser }: { name: string; arguments?: string }, { skills }) => {
        const offered = this.#allowed(skills?.allowed ?? null);
        const skill = offered.find((one) => one.name === name);
        if (!skill)
          throw unknownSkill(
            name,
            offered.map((one) => one.name),
          );
        skills?.follow(followed(skill));
        return textOf(skill, words, false);
      },
    });
  }

  #allowed(allowed: readonly string[] | null): TextSkill[] {
    const isAllowed = allowed ? this.#matcher(allowed) : () => true;
    return [...this.#skills.values()]
      .filter(({ name }) => isAllowed(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function followed({ name, text, tools, confirm }: TextSkill): FollowedSkill {
  const rules = (names: readonly string[] | undefined) => (names ? toolRules(names) : null);
  return {
    name,
    from: 'configured',
    hash: shortHash(JSON.stringify([text, tools, confirm])),
    isTrusted: true,
    allowed: rules(tools),
    confirm: rules(confirm),
  };
}

function textOf(skill: TextSkill, words: string, isInvoked: boolean): string {
  return skillText({ skill: followed(skill), body: skill.text, folder: '', files: [] }, { words, isInvoked });
}

function invalid(message: string): DetentError {
  return new DetentError('INVALID_SKILL', message);
}
