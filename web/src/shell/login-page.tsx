import { useState } from 'preact/hooks';
import { asTyped } from '../base/command.ts';
import { logInBy, loginError } from '../data/login.ts';
import { Logo } from './logo.tsx';
import { t } from './words.ts';

/** What a person sees without a token. */
export function LoginPage() {
  const [pasted, paste] = useState('');
  return (
    <main class="login">
      <Logo width={58} height={44} />
      <h1>Detent</h1>
      <p>{t.loginWhy}</p>
      <pre>
        <code>{asTyped(`detent token login --url ${location.origin}`)}</code>
      </pre>
      <p>{t.loginHow}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (pasted.trim() !== '') void logInBy(pasted);
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
        <button type="submit" class="btn primary">
          {t.login}
        </button>
      </form>
      {loginError.value !== null && (
        <p class="failure" role="alert">
          {loginError.value}
        </p>
      )}
    </main>
  );
}
