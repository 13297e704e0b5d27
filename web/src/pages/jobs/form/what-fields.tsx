import { useRef } from 'preact/hooks';
import { useRequest } from '../../../data/use-request.ts';
import { Segments } from '../../../parts/segments.tsx';
import { visible } from '../../../parts/visible.ts';
import type { EditProps } from './edit-props.ts';
import { ChoiceField, LongField, TextField } from './field.tsx';
import { t } from './words.ts';

/** What each slot starts: an agent with a prompt, or a workflow where there are some. */
export function WhatFields(props: EditProps) {
  const { form, set } = props;
  const { data } = useRequest('workflow.list', {});
  const ids = withChosen(data?.workflows.map(({ id }) => id) ?? [], form.workflow);
  if (ids.length === 0) return <PromptFields {...props} />;
  return (
    <fieldset class="form-part">
      <legend>{t.what}</legend>
      <div class="seg">
        <Segments
          options={[
            ['prompt', t.anAgent],
            ['workflow', t.aWorkflow],
          ]}
          chosen={form.work}
          choose={(work) => set({ work })}
        />
      </div>
      {form.work === 'prompt' ? <PromptFields {...props} /> : <FlowFields {...props} ids={ids} />}
    </fieldset>
  );
}

/** The names that are known, and the chosen one if it is not among them. */
function withChosen(names: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || names.includes(chosen) ? names : [chosen, ...names];
}

/** Which workflow, and its input; the gateway checks it against the schema of the workflow. */
function FlowFields({ ids, ...props }: EditProps & { ids: readonly string[] }) {
  const options = [['', t.chooseWorkflow], ...ids.map((id) => [id, visible(id)] as const)] as const;
  return (
    <>
      <ChoiceField {...props} name="workflow" label={t.workflow} options={options} />
      <LongField
        {...props}
        name="input"
        label={t.input}
        hint={t.inputHint}
        isCode
        rows={5}
        placeholder="null"
      />
    </>
  );
}

/** What the agent is asked, and which agent it is. */
function PromptFields(props: EditProps) {
  const { form, set } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const skills = useRequest('skill.list', {}).data?.skills.skills ?? [];
  const insert = (text: string) => {
    const at = area.current?.selectionStart ?? form.prompt.length;
    set({ prompt: form.prompt.slice(0, at) + text + form.prompt.slice(at) });
    area.current?.focus();
  };
  const names = withChosen(
    skills.map(({ name }) => name),
    form.skill,
  );
  const options = [['', t.noSkill], ...names.map((name) => [name, name] as const)] as const;
  return (
    <>
      <LongField {...props} name="prompt" label={t.prompt} hint={t.promptHint} rows={6} area={area} />
      <div class="presets">
        <button type="button" class="btn small" onClick={() => insert('{{slot}}')}>
          <code>{'{{slot}}'}</code> {t.insertSlot}
        </button>
        <button type="button" class="btn small" onClick={() => insert('{{last}}')}>
          <code>{'{{last}}'}</code> {t.insertLast}
        </button>
      </div>
      <div class="form-row">
        <TextField {...props} name="agent" label={t.agent} hint={t.agentHint} />
        <TextField {...props} name="model" label={t.model} hint={t.modelHint} />
      </div>
      <div class="form-row">
        <ChoiceField {...props} name="skill" label={t.skill} options={options} />
        <TextField {...props} name="session" label={t.shared} hint={t.sharedHint} />
      </div>
    </>
  );
}
