import { may } from '../../../../data/connection.ts';
import { useRequest } from '../../../../data/use-request.ts';
import { knownModels } from './known-models.ts';
import { t } from './words.ts';

interface ModelPickerProps {
  /** Of the newest run. */
  model: string | null;
  chosen: string | null;
  choose(model: string | null): void;
}

/** The model of the next run. Only who may administrate chooses one: the host pays. */
export function ModelPicker({ model, chosen, choose }: ModelPickerProps) {
  const isAdmin = may('admin');
  const config = useRequest('config.get', isAdmin ? {} : null);
  const used = useRequest('usage.get', isAdmin ? { by: 'model', limit: 50 } : null);
  if (!isAdmin) return model === null ? null : <span class="model mono wide">{model}</span>;
  const { usual, models } = knownModels(config.data, used.data);
  return (
    <select
      class="btn ghost small wide model"
      aria-label={t.model}
      title={t.model}
      onChange={(event) => choose(event.currentTarget.value || null)}
    >
      <option value="" selected={chosen === null}>
        {usual === null ? t.modelUsualUnknown : t.modelUsual(usual)}
      </option>
      {models.map((one) => (
        <option key={one} value={one} selected={one === chosen}>
          {one}
        </option>
      ))}
    </select>
  );
}
