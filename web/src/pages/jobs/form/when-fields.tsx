import { readersTimeZone } from '../../../base/format.ts';
import { Segments } from '../../../parts/segments.tsx';
import type { EditProps } from './edit-props.ts';
import { ChoiceField, TextField } from './field.tsx';
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
export function WhenFields(props: EditProps) {
  const { kind } = props.form;
  return (
    <fieldset class="form-part">
      <legend>{t.when}</legend>
      <div class="seg">
        <Segments
          options={kinds.map((one) => [one, t[one]])}
          chosen={kind}
          choose={(chosen) => props.set({ kind: chosen })}
        />
      </div>
      {kind === 'cron' && <CronFields {...props} />}
      {kind === 'every' && <TextField {...props} name="every" label={t.every} hint={t.everyHint} isCode />}
      {kind === 'at' && (
        <TextField
          {...props}
          name="at"
          type="datetime-local"
          label={t.at}
          hint={t.atHint(readersTimeZone())}
        />
      )}
    </fieldset>
  );
}

function CronFields(props: EditProps) {
  const dialects = [
    ['', t.bySigns],
    ['unix', 'unix (crontab)'],
    ['quartz', 'Quartz'],
    ['robfig', 'robfig (Go)'],
  ] as const;
  return (
    <>
      <TextField {...props} name="cron" label={t.cron} hint={t.cronHint} isWide isCode />
      <div class="presets">
        <span class="sr">{t.presets}</span>
        {presets.map(([name, cron]) => (
          <button key={name} type="button" class="btn small" onClick={() => props.set({ cron, dialect: '' })}>
            {t[name]}
          </button>
        ))}
      </div>
      <div class="form-row">
        <ChoiceField {...props} name="dialect" label={t.dialect} hint={t.dialectHint} options={dialects} />
        <TextField {...props} name="timeZone" label={t.zone} proposals={Intl.supportedValuesOf('timeZone')} />
      </div>
    </>
  );
}
