/**
 * A column, by the type of its values. An inner one is in no row that a statement answers; a made one has its value from the
 * database, unless a statement gives one.
 */
export interface Column<T, Inner extends boolean = boolean, Made extends boolean = boolean> {
  readonly isInner: Inner;
  readonly isMade: Made;
  /** Has no value: it carries the type. */
  readonly type?: T;
}

export const of = <T>(): Column<T, false, false> => ({ isInner: false, isMade: false });
export const made = <T>(): Column<T, false, true> => ({ isInner: false, isMade: true });
export const inner = <T>(): Column<T, true, false> => ({ isInner: true, isMade: false });

type Camel<C extends string> = C extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : C;

/** How rows name a column: `session_pk` is `session`, `tenant_id` is `tenant`, `due_at` is `dueAt`. */
export type NameOf<C extends string> = C extends `${infer A}_pk`
  ? A
  : C extends `${infer A extends 'tenant' | 'user' | 'job'}_id`
    ? A
    : Camel<C>;

export const nameOf = (column: string): string =>
  column
    .replace(/_pk$|(?<=^(?:tenant|user|job))_id$/, '')
    .replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
