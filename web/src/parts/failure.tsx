import type { ClientError } from '#src/client/index.ts';
import { errorInWords } from './why/finding.ts';
import { t } from './words.ts';

/** What failed, and the next step. */
export function Failure({ error, retry }: { error: ClientError; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        <b>{t.happened}</b> {errorInWords(error)}
      </p>
      <p class="dim">
        <code>{error.code}</code>
        {retry && (
          <button type="button" class="btn small" onClick={retry}>
            {t.again}
          </button>
        )}
      </p>
    </div>
  );
}
