import { useState } from 'preact/hooks';
import { asTyped } from '../base/command.ts';
import { type LoginFailure, logInBy, loginError } from '../data/login.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Logo } from './logo.tsx';
import { Toggles } from './toggles.tsx';
import { t } from './words.ts';

/** What a person sees without a token. */
export function LoginPage() {
  const [pasted, paste] = useState('');
  const [isBusy, setBusy] = useState(false);
  const command = asTyped(`detent token login --url ${location.origin}`);
  const failure = loginError.value;
  return (
    <main class="login">
      <header>
        <Logo width={58} height={44} />
        <Toggles />
      </header>
      <h1>Detent</h1>
      <p>{t.loginWhy}</p>
      <div class="command">
        <pre>
          <code>{command}</code>
        </pre>
        <CopyButton text={command} />
      </div>
      <p>{t.loginHow}</p>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (pasted.trim() === '' || isBusy) return;
          setBusy(true);
          await logInBy(pasted);
          setBusy(false);
        }}
      >
        <input
          class="field mono"
          type="password"
          autocomplete="off"
          aria-label={t.loginField}
          placeholder={t.loginField}
          value={pasted}
          onInput={(event) => paste(event.currentTarget.value)}
        />
        <button type="submit" class="btn primary" disabled={isBusy}>
          {t.login}
        </button>
      </form>
      {failure !== null && (
        <p class="failure" role="alert">
          {failureInWords(failure)}
        </p>
      )}
      <p class="dim">{t.loginOther}</p>
    </main>
  );
}

function failureInWords({ why, detail }: LoginFailure): string {
  if (why === 'link') return t.linkRefused;
  if (why === 'either') return t.eitherRefused;
  if (why === 'token') return t.tokenRefused;
  return why === 'silent' ? t.noAnswer : detail;
}
