import { useEffect, useRef } from 'preact/hooks';
import { reasonInWords } from '../../../../parts/why/finding.ts';
import type { PickedSkill } from './skills.ts';
import { t } from './words.ts';

interface SkillPickerProps {
  id: string;
  skills: readonly PickedSkill[];
  /** The one that the keys are at. */
  at: number;
  pick(skill: PickedSkill): void;
}

/** The skills that a message can begin with. Keys go to the text area, which names the line that they are at. */
export function SkillPicker({ id, skills, at, pick }: SkillPickerProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  if (skills.length === 0) return <p class="skillpick dim">{t.noSkill}</p>;
  return (
    <div ref={list} class="skillpick" id={id} role="listbox" aria-label={t.skills}>
      {skills.map((skill, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text area
        <div
          key={skill.name}
          id={`${id}-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === at}
          aria-disabled={skill.why !== null}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => skill.why === null && pick(skill)}
        >
          <code>/{skill.name}</code>
          <span>
            {skill.about}
            {skill.why !== null && (
              <small>
                {skill.why === 'forModels' ? t.skillForModels : t.skillOff(reasonInWords(skill.why))}
              </small>
            )}
          </span>
        </div>
      ))}
    </div>
  );
}
