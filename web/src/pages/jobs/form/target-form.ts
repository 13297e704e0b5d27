import type { JobView } from '#src/protocol/views.ts';

/** A delivery as the form has it: `value` is the path, the session or the address. */
export interface TargetForm {
  kind: 'console' | 'file' | 'session' | 'webhook';
  value: string;
  secretEnv: string;
}

/** A delivery of a job that there is. */
export function targetForm(target: JobView['deliver'][number]): TargetForm {
  switch (target.kind) {
    case 'console':
      return { kind: 'console', value: '', secretEnv: '' };
    case 'file':
      return { kind: 'file', value: target.path, secretEnv: '' };
    case 'session':
      return { kind: 'session', value: target.session, secretEnv: '' };
    case 'webhook':
      return { kind: 'webhook', value: target.url, secretEnv: target.secretEnv ?? '' };
  }
}

/** The delivery that was written, for the gateway. */
export function targetOf({ kind, value, secretEnv }: TargetForm) {
  switch (kind) {
    case 'console':
      return { kind } as const;
    case 'file':
      return { kind, path: value } as const;
    case 'session':
      return { kind, session: value } as const;
    case 'webhook':
      return { kind, url: value, ...(secretEnv.trim() !== '' && { secretEnv: secretEnv.trim() }) } as const;
  }
}
