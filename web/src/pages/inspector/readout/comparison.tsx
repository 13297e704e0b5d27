import type { Output } from '#src/client/index.ts';
import { count, money, shortId } from '../../../base/format.ts';
import { href, runPath, setQuery } from '../../../base/place.ts';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { useRequest } from '../../../data/use-request.ts';
import { Failure } from '../../../parts/failure.tsx';
import { Chip, Shape } from '../../../parts/shape.tsx';
import { keyIn, keyOfStatus } from '../../../parts/states.ts';
import { ChooseRun, toBeChosen } from './choose-run.tsx';
import { t } from './words.ts';

/** Two runs side by side: how far they are the same, where they part, and how each ended. */
export function Comparison({ run, otherId }: { run: InspectedRun; otherId: string }) {
  if (otherId === toBeChosen) return <ChooseRun run={run} />;
  return <Compared key={otherId} run={run} otherId={otherId} />;
}

function Compared({ run, otherId }: { run: InspectedRun; otherId: string }) {
  const { data: diff, error, reload } = useRequest('run.diff', { runId: run.runId, otherRunId: otherId });
  if (error)
    return (
      <section>
        <Failure error={error} retry={reload} />
        <EndCompare />
      </section>
    );
  if (!diff) return null;
  const [first] = diff.parting?.differences ?? [];
  return (
    <>
      <section>
        <div class="secthead">
          <h2>
            {t.compareWith}{' '}
            <a class="link mono" href={href(runPath(otherId))}>
              {shortId(otherId)}
            </a>
          </h2>
          <EndCompare />
        </div>
        <p class="note">
          {diff.parting === null
            ? t.same
            : `${t.common(diff.common)}${first ? `, ${t.partAt(first.field)}` : ''}`}
        </p>
        {diff.parting?.differences.slice(0, 6).map(({ field, a, b }) => (
          <p key={field} class="parting">
            <code>{field}</code>
            <del>{printed(a)}</del> <ins>{printed(b)}</ins>
          </p>
        ))}
        <Courses run={run} otherId={otherId} common={diff.common} />
      </section>
      <section>
        <Figures a={diff.a} b={diff.b} />
      </section>
      <section>
        <h2>{t.answers}</h2>
        <dl class="said">
          <dt>{t.here}</dt>
          <dd>{diff.a.text || t.noAnswer}</dd>
          <dt>{t.there}</dt>
          <dd>{diff.b.text || t.noAnswer}</dd>
        </dl>
      </section>
    </>
  );
}

function EndCompare() {
  return (
    <button type="button" class="btn small" onClick={() => setQuery({ with: null })}>
      {t.endCompare}
    </button>
  );
}

const maxShown = 200;

/** What each did from where they part, line by line. */
function Courses({ run, otherId, common }: { run: InspectedRun; otherId: string; common: number }) {
  const other = useRequest('run.log', { runId: otherId, afterSeq: common });
  const mine = useRequest('run.log', { runId: run.runId, afterSeq: common });
  const a = mine.data?.transitions ?? [];
  const b = other.data?.transitions ?? [];
  const machine = run.trace.value?.machine.name ?? '';
  const rows = Math.min(maxShown, Math.max(a.length, b.length));
  return (
    <table class="cmp">
      <thead>
        <tr>
          <td />
          <th scope="col">
            {t.here} <code>{shortId(run.runId)}</code>
          </th>
          <th scope="col">
            {t.there} <code>{shortId(otherId)}</code>
          </th>
        </tr>
      </thead>
      <tbody>
        {common > 0 && (
          <tr>
            <td class="n">1–{common}</td>
            <td colSpan={2} class="mid">
              {t.theSame}
            </td>
          </tr>
        )}
        {Array.from({ length: rows }, (_, i) => (
          <tr key={i} class={i === 0 ? 'part' : undefined}>
            <td class="n">{common + i + 1}</td>
            <td>{a[i] && <Line machine={machine} line={a[i]} show={() => run.show(common + i + 1)} />}</td>
            <td>{b[i] && <Line machine={machine} line={b[i]} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Line({
  machine,
  line: { path, event },
  show,
}: {
  machine: string;
  line: Output<'run.log'>['transitions'][number];
  show?: () => void;
}) {
  const state = keyIn(machine, path);
  const words = (
    <>
      <Shape state={state} />
      <code>{event.type}</code>
    </>
  );
  if (!show)
    return (
      <span class="ev" data-s={state}>
        {words}
      </span>
    );
  return (
    <button type="button" class="ev" data-s={state} onClick={show}>
      {words}
    </button>
  );
}

function Figures({ a, b }: Pick<Output<'run.diff'>, 'a' | 'b'>) {
  const tokens = ({ usage }: typeof a) => count(usage.inputTokens + usage.outputTokens);
  const rows: [string, string, string][] = [
    [t.transitions, count(a.transitions), count(b.transitions)],
    [t.steps, count(a.steps), count(b.steps)],
    [t.toolCalls, count(a.toolCalls), count(b.toolCalls)],
    [t.tokens, tokens(a), tokens(b)],
    [t.cost, money(a.usage.costUsd), money(b.usage.costUsd)],
  ];
  return (
    <table class="ctx">
      <tbody>
        <tr>
          <th scope="row">{t.ended}</th>
          {[a, b].map(({ runId, status }) => (
            <td key={runId} class="num">
              <Chip plain state={keyOfStatus(status)}>
                {t.runStatus(status)}
              </Chip>
            </td>
          ))}
        </tr>
        {rows.map(([name, mine, other]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="num">{mine}</td>
            <td class="num">{mine === other ? other : <ins>{other}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function printed(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
