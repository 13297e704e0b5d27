import { useRef } from 'preact/hooks';
import type { Skills } from '../../../data/knowledge.ts';
import { useRequest } from '../../../data/use-request.ts';
import type { EditProps } from './edit-props.ts';
import { Field } from './field.tsx';
import { t } from './words.ts';

/** What the agent is asked, and which agent it is. */
export function WhatFields({ form, set, errors }: EditProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const skills = useRequest('skill.list', {}).data as { skills: Skills } | undefined;
  const insert = (text: string) => {
    const at = area.current?.selectionStart ?? form.prompt.length;
    set({ prompt: form.prompt.slice(0, at) + text + form.prompt.slice(at) });
    area.current?.focus();
  };
  const names = skills?.skills.skills.map(({ name }) => name) ?? [];
  const known = form.skill === '' || names.includes(form.skill) ? names : [form.skill, ...names];
  return (
    <>
      <Field label={t.prompt} hint={t.promptHint} error={errors.prompt} isWide>
        {(control) => (
          <textarea
            {...control}
            ref={area}
            class="field"
            name="prompt"
            rows={6}
            value={form.prompt}
            onInput={({ currentTarget }) => set({ prompt: currentTarget.value })}
          />
        )}
      </Field>
      <div class="presets">
        <button type="button" class="btn small" onClick={() => insert('{{slot}}')}>
          <code>{'{{slot}}'}</code> {t.insertSlot}
        </button>
        <button type="button" class="btn small" onClick={() => insert('{{last}}')}>
          <code>{'{{last}}'}</code> {t.insertLast}
        </button>
      </div>
      <div class="form-row">
        <Field label={t.agent} hint={t.agentHint} error={errors.agent}>
          {(control) => (
            <input
              {...control}
              class="field"
              name="agent"
              autocomplete="off"
              value={form.agent}
              onInput={({ currentTarget }) => set({ agent: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={t.skill} error={errors.skill}>
          {(control) => (
            <select
              {...control}
              class="field"
              name="skill"
              value={form.skill}
              onChange={({ currentTarget }) => set({ skill: currentTarget.value })}
            >
              <option value="">{t.noSkill}</option>
              {known.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </>
  );
}
