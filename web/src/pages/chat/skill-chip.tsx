import './skill-chip.css';
import { visible } from '../../parts/visible.ts';
import { t } from './words.ts';

/** The skill that a person chose for a message, beside its words. */
export function SkillChip({ name, remove }: { name: string; remove?: () => void }) {
  return (
    <span class="skill-chip">
      <span class="sr">{t.chosenSkill}</span> {visible(name)}
      {remove && (
        <button type="button" aria-label={t.removeSkill(name)} onClick={remove}>
          ×
        </button>
      )}
    </span>
  );
}
