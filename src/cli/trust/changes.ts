import type { TrustedFolder } from './records.ts';
import type { Survey } from './survey.ts';

interface Changes {
  added: string[];
  removed: string[];
  changed: string[];
}

export function changesOf(survey: Pick<Survey, 'files'>, before: Pick<TrustedFolder, 'files'>): Changes {
  const has = (files: object, name: string) => Object.hasOwn(files, name);
  const names = Object.keys(survey.files);
  return {
    added: names.filter((name) => !has(before.files, name)),
    removed: Object.keys(before.files).filter((name) => !has(survey.files, name)),
    changed: names.filter((name) => has(before.files, name) && survey.files[name] !== before.files[name]),
  };
}
