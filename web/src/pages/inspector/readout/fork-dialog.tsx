import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Output } from '#src/client/index.ts';
import { chatPath, go, runPath } from '../../../base/place.ts';
import type { LegalCommand } from '../../../data/answers.ts';
import { may } from '../../../data/connection.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { useAction } from '../../../data/use-action.ts';
import { ask, useRequest } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { t } from './words.ts';

interface Wanted {
  runId: string;
  seq: number;
  /** What the fork is sent when it is made. */
  then: LegalCommand | null;
}

const wanted = signal<Wanted | null>(null);

/** Asks whether to fork a run after a transition. */
export function openFork(run: InspectedRun, seq: number, then: LegalCommand | null = null): void {
  wanted.value = { runId: run.runId, seq, then };
}

export function ForkDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const fork = wanted.value;
  useEffect(() => {
    if (fork === null) dialog.current?.close();
    else dialog.current?.showModal();
  }, [fork]);
  return (
    <dialog
      ref={dialog}
      class="fork"
      aria-labelledby="fork-title"
      onClose={() => {
        wanted.value = null;
      }}
    >
      {fork && <ForkForm key={`${fork.runId} ${fork.seq}`} fork={fork} />}
    </dialog>
  );
}

function ForkForm({ fork: { runId, seq, then } }: { fork: Wanted }) {
  const { data: preview, error } = useRequest('run.forkPreview', { runId, at: seq });
  const original = preview?.messages.findLast(({ role }) => role === 'user' && runId !== '')?.text ?? '';
  const [edited, edit] = useState<string | null>(null);
  const [model, choose] = useState('');
  const [message, write] = useState('');
  const [goesOn, letGoOn] = useState(false);
  const making = useAction();
  const make = async () => {
    const changes = {
      ...(edited !== null && edited !== original && { editMessage: edited }),
      ...(model.trim() !== '' && { model: model.trim() }),
    };
    const made = await forked({ runId, seq, then, message }, changes, goesOn);
    wanted.value = null;
    // What needs a form is decided where all decisions are made.
    go(then !== null && isForTheDock(then) ? chatPath(made.sessionId) : runPath(made.runId));
  };
  return (
    <form
      method="dialog"
      onSubmit={(event) => {
        event.preventDefault();
        void making.act(make);
      }}
    >
      <h2 id="fork-title">{t.forkTitle(seq)}</h2>
      <p class="mid">{t.forkAbout}</p>
      {error && <Failure error={error} />}
      <h3 class="label">{t.forkOpen}</h3>
      <OpenEffects preview={preview} />
      {then && <p>{t.thenDo([then.type, then.callId, then.verdict].filter(Boolean).join(' '))}</p>}
      {then?.type === 'run.message' && (
        <label class="label">
          {t.sayWhat}
          <textarea
            class="field"
            rows={2}
            required
            value={message}
            onInput={(event) => write(event.currentTarget.value)}
          />
        </label>
      )}
      {original !== '' && (
        <label class="label">
          {t.edit}
          <textarea
            class="field"
            rows={2}
            value={edited ?? original}
            onInput={(event) => edit(event.currentTarget.value)}
          />
        </label>
      )}
      {may('admin') && preview && preview.model !== '' && (
        <label class="label">
          {t.model}
          <input
            class="field"
            placeholder={t.asBefore(preview.model)}
            value={model}
            onInput={(event) => choose(event.currentTarget.value)}
          />
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={goesOn} onChange={(event) => letGoOn(event.currentTarget.checked)} />
        {t.goesOn}
      </label>
      {making.error && <Failure error={making.error} />}
      <p class="fork-acts">
        <button type="button" class="btn" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
          {t.cancel}
        </button>
        <button
          type="submit"
          class="btn primary"
          disabled={making.isBusy || preview === undefined || !may('write')}
        >
          {t.makeFork}
        </button>
      </p>
    </form>
  );
}

/** The work that is open at that moment, and what a repetition of it would do. */
function OpenEffects({ preview }: { preview: Output<'run.forkPreview'> | undefined }) {
  return (
    <ul class="fork-open">
      {preview?.open.map((effect) => (
        <li key={effect.effect}>
          <code>{effect.service ?? [effect.callId, effect.tool ?? effect.name].join(' ')}</code>
          {effect.arguments !== undefined && <code class="cut dim">{effect.arguments}</code>}
          <span class={effect.isSafeToRepeat ? 'dim' : 'risky'}>{repeatOf(effect)}</span>
        </li>
      ))}
      {preview?.open.length === 0 && (
        <li class="dim">{preview.model === '' ? t.forkWaits : t.forkNothing}</li>
      )}
    </ul>
  );
}

function repeatOf({ status, isSafeToRepeat }: Output<'run.forkPreview'>['open'][number]): string {
  if (status === 'held') return t.held;
  if (status === 'uncertain') return t.uncertain;
  return isSafeToRepeat ? t.safe : t.unsafe;
}

/** Makes the fork, and sends it what the person chose. */
async function forked(
  { runId, seq, then, message }: Wanted & { message: string },
  changes: { editMessage?: string; model?: string },
  goesOn: boolean,
): Promise<{ runId: string; sessionId: string }> {
  const fork = await ask('run.fork', { runId, at: seq, ...changes });
  if (then !== null) await tell(fork.runId, then, message);
  if (goesOn) await ask('run.resume', { runId: fork.runId });
  return fork;
}

function isForTheDock({ type, verdict }: LegalCommand): boolean {
  return !['run.cancel', 'run.message'].includes(type) && verdict !== 'approve' && verdict !== 'reject';
}

async function tell(runId: string, { type, callId = '', verdict }: LegalCommand, message: string) {
  if (type === 'run.cancel') await ask('agent.cancel', { runId });
  else if (type === 'run.message') await ask('agent.steer', { runId, message });
  else if (type === 'confirm.decide' && (verdict === 'approve' || verdict === 'reject'))
    await ask('tool.confirm', { runId, callId, verdict });
}
