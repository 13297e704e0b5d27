import { isAbsolute } from 'node:path';
import type { TrustedFolder } from '../records.ts';
import type { Survey } from '../survey/survey.ts';

/** The other names are those of packages, and absolute paths. */
export const isInside = (name: string) => !isAbsolute(name) && !isPackage(name);
export const isPackage = (name: string) => name.startsWith('package ');

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

/** Whether a folder is as it was agreed to. */
export function isAsKept(
  survey: Pick<Survey, 'files' | 'places'>,
  before: Pick<TrustedFolder, 'files'>,
): boolean {
  const { added, removed, changed } = changesOf(survey, before);
  return survey.places.length + added.length + removed.length + changed.length === 0;
}
