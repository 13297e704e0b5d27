import { useEffect, useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import { asClientError, ask } from '../../../data/use-request.ts';
import { errorToKeep } from '../../../parts/why/finding.ts';
import { scheduleText } from '../schedule-text.ts';
import { away, dayTime } from '../time-words.ts';
import { type FormErrors, fieldOf } from './form-errors.ts';
import { scheduleOf } from './form-input.ts';
import type { JobFormState } from './form-state.ts';
import { t } from './words.ts';

const afterMs = 200;
const shown = 5;

interface PreviewState {
  /** The newest schedule that the gateway understood. */
  answer: Output<'cron.preview'> | null;
  errors: FormErrors;
}

/** What the gateway understands of the times, shortly after each change of them. */
export function usePreview(form: JobFormState): PreviewState {
  const [state, setState] = useState<PreviewState>({ answer: null, errors: {} });
  const schedule = scheduleOf(form);
  const key = JSON.stringify(schedule);
  useEffect(() => {
    if (schedule === null) {
      setState({ answer: null, errors: {} });
      return;
    }
    let isNewest = true;
    const timer = setTimeout(() => {
      ask('cron.preview', { ...schedule, count: shown }).then(
        (answer) => isNewest && setState({ answer, errors: {} }),
        async (reason: unknown) => {
          const error = asClientError(reason);
          const field = fieldOf(error) ?? form.kind;
          const said = await errorToKeep(error);
          if (isNewest) setState({ answer: null, errors: { [field]: said } });
        },
      );
    }, afterMs);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [key]);
  return state;
}

/** The next times of what is written in the form, on a rail. */
export function Preview({ preview: { answer } }: { preview: PreviewState }) {
  const now = Date.now();
  return (
    <aside class="panel preview" aria-labelledby="preview-title">
      <h2 id="preview-title">{t.preview}</h2>
      <div aria-live="polite">
        {answer === null && <p class="dim">{t.previewEmpty}</p>}
        {answer !== null && (
          <>
            <p class="say">{scheduleText(answer)}</p>
            <ol>
              {answer.next.map((at) => (
                <li key={at}>
                  <b>{dayTime(at, now)}</b> <span class="dim">{away(at, now)}</span>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </aside>
  );
}
