import { useRef } from 'preact/hooks';
import { useRequest } from '../../../data/use-request.ts';
import { visible } from '../../../parts/visible.ts';
import type { EditProps } from './edit-props.ts';
import { Field } from './field.tsx';
import { t } from './words.ts';

/** What each slot starts: an agent with a prompt, or a workflow where there are some. */
export function WhatFields(props: EditProps) {
  const { form, set } = props;
  const { data } = useRequest('workflow.list', {});
  const ids = data?.workflows.map(({ id }) => id) ?? [];
  const known = form.workflow === '' || ids.includes(form.workflow) ? ids : [form.workflow, ...ids];
  if (known.length === 0) return <PromptFields {...props} />;
  return (
    <fieldset class="form-part">
      <legend>{t.what}</legend>
      <div class="seg">
        <button type="button" aria-pressed={form.work === 'prompt'} onClick={() => set({ work: 'prompt' })}>
          {t.anAgent}
        </button>
        <button
          type="button"
          aria-pressed={form.work === 'workflow'}
          onClick={() => set({ work: 'workflow' })}
        >
          {t.aWorkflow}
        </button>
      </div>
      {form.work === 'prompt' ? <PromptFields {...props} /> : <FlowFields {...props} ids={known} />}
    </fieldset>
  );
}

/** Which workflow, and its input; the gateway checks it against the schema of the workflow. */
function FlowFields({ form, set, errors, ids }: EditProps & { ids: readonly string[] }) {
  return (
    <>
      <Field label={t.workflow} error={errors.workflow}>
        {(control) => (
          <select
            {...control}
            class="field"
            name="workflow"
            value={form.workflow}
            onChange={({ currentTarget }) => set({ workflow: currentTarget.value })}
          >
            <option value="">{t.chooseWorkflow}</option>
            {ids.map((id) => (
              <option key={id} value={id}>
                {visible(id)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t.input} hint={t.inputHint} error={errors.input} isWide>
        {(control) => (
          <textarea
            {...control}
            class="field mono"
            name="input"
            rows={5}
            placeholder="null"
            value={form.input}
            onInput={({ currentTarget }) => set({ input: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

/** What the agent is asked, and which agent it is. */
function PromptFields({ form, set, errors }: EditProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const skills = useRequest('skill.list', {}).data;
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
