import type { EditProps } from './edit-props.ts';
import { Field } from './field.tsx';
import { t } from './words.ts';

const presets = [
  ['hourly', '0 * * * *'],
  ['daily', '0 9 * * *'],
  ['weekdays', '0 9 * * 1-5'],
  ['weekly', '0 9 * * 1'],
  ['monthly', '0 9 1 * *'],
] as const;

const kinds = ['cron', 'every', 'at'] as const;

/** When the job is due: a cron expression on a clock, an interval, or one time. */
export function WhenFields({ form, set, errors }: EditProps) {
  return (
    <fieldset class="form-part">
      <legend>{t.when}</legend>
      <div class="seg">
        {kinds.map((kind) => (
          <button key={kind} type="button" aria-pressed={form.kind === kind} onClick={() => set({ kind })}>
            {t[kind]}
          </button>
        ))}
      </div>
      {form.kind === 'cron' && <CronFields form={form} set={set} errors={errors} />}
      {form.kind === 'every' && (
        <Field label={t.every} hint={t.everyHint} error={errors.every}>
          {(control) => (
            <input
              {...control}
              class="field mono"
              name="every"
              autocomplete="off"
              value={form.every}
              onInput={({ currentTarget }) => set({ every: currentTarget.value })}
            />
          )}
        </Field>
      )}
      {form.kind === 'at' && (
        <Field
          label={t.at}
          hint={t.atHint(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          error={errors.at}
        >
          {(control) => (
            <input
              {...control}
              class="field"
              name="at"
              type="datetime-local"
              value={form.at}
              onInput={({ currentTarget }) => set({ at: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}

function CronFields({ form, set, errors }: EditProps) {
  return (
    <>
      <Field label={t.cron} hint={t.cronHint} error={errors.cron} isWide>
        {(control) => (
          <input
            {...control}
            class="field mono"
            name="cron"
            autocomplete="off"
            spellcheck={false}
            value={form.cron}
            onInput={({ currentTarget }) => set({ cron: currentTarget.value })}
          />
        )}
      </Field>
      <div class="presets">
        <span class="sr">{t.presets}</span>
        {presets.map(([name, cron]) => (
          <button key={name} type="button" class="btn small" onClick={() => set({ cron, dialect: '' })}>
            {t[name]}
          </button>
        ))}
      </div>
      <div class="form-row">
        <Field label={t.dialect} hint={t.dialectHint} error={errors.dialect}>
          {(control) => (
            <select
              {...control}
              class="field"
              name="dialect"
              value={form.dialect}
              onChange={({ currentTarget }) => set({ dialect: currentTarget.value as typeof form.dialect })}
            >
              <option value="">{t.bySigns}</option>
              <option value="unix">unix (crontab)</option>
              <option value="quartz">Quartz</option>
              <option value="robfig">robfig (Go)</option>
            </select>
          )}
        </Field>
        <Field label={t.zone} error={errors.timeZone}>
          {(control) => (
            <>
              <input
                {...control}
                class="field"
                name="timeZone"
                list="time-zones"
                autocomplete="off"
                value={form.timeZone}
                onInput={({ currentTarget }) => set({ timeZone: currentTarget.value })}
              />
              <datalist id="time-zones">
                {Intl.supportedValuesOf('timeZone').map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
    </>
  );
}
