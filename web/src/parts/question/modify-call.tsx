import { useState } from 'preact/hooks';
import { isObject, type JsonObject } from '#src/protocol/json.ts';
import { DiffOfTexts } from '../diff.tsx';
import { textOfValue } from '../diff-rows.ts';
import { type Draft, draftOf, type Problems, readDraft } from '../schema-form/draft.ts';
import { SchemaForm } from '../schema-form/schema-form.tsx';
import { type Shape, shapeOf } from '../schema-form/shape.ts';
import { t } from './words.ts';

/** New arguments in the making. */
interface Modified {
  shape: Shape;
  draft: Draft;
  begun: Draft;
  problems: Problems;
  value: unknown;
  isChanged: boolean;
  /** The form is opened. */
  begin(): void;
  change(draft: Draft): void;
  /** The new arguments; null, with the problems shown, while they are not valid. */
  take(): Record<string, unknown> | null;
}

/** @param parameters of the tool; undefined while they are not known, and the arguments are a JSON text */
export function useModified(args: unknown, parameters: JsonObject | undefined): Modified {
  // The schema of the tool may come after the form was opened: it stays the form that the person writes in.
  const [kept, keep] = useState<{ shape: Shape; draft: Draft } | null>(null);
  const shape = kept?.shape ?? shapeOf(parameters ?? {}, args);
  const begun = draftOf(shape, args);
  const [areProblemsShown, showProblems] = useState(false);
  const draft = kept?.draft ?? begun;
  const { value, problems } = readDraft(shape, draft, { mayBeEmpty: true });
  const isChanged = JSON.stringify(value) !== JSON.stringify(args) || Object.keys(problems).length > 0;
  return {
    shape,
    draft,
    begun,
    problems: areProblemsShown ? problems : {},
    value: Object.keys(problems).length > 0 ? undefined : value,
    isChanged,
    begin: () => keep({ shape, draft }),
    change: (changed) => keep({ shape, draft: changed }),
    take() {
      showProblems(true);
      if (Object.keys(problems).length > 0 || !isChanged || !isObject(value)) return null;
      return { ...value };
    },
  };
}

/** The form of a call's arguments, and the difference that it makes. */
export function ModifyCall({ modified, before }: { modified: Modified; before: unknown }) {
  const { shape, draft, begun, problems, change, value, isChanged } = modified;
  return (
    <div class="modform">
      <SchemaForm
        shape={shape}
        draft={draft}
        before={begun}
        problems={problems}
        change={change}
        name="arguments"
      />
      {isChanged && value !== undefined && (
        <div class="extra">
          <p class="label">{t.yourChange}</p>
          <DiffOfTexts
            before={textOfValue(before)}
            after={textOfValue(value)}
            label={t.yourChange}
            context={1}
          />
        </div>
      )}
    </div>
  );
}
