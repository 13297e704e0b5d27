import './settings.css';
import { allowLetters, areLettersOn, pressShortcut } from '../../base/keys.ts';
import { chooseLanguage, language, languages, nameOf } from '../../base/language.ts';
import type { PageProps } from '../../base/page-props.ts';
import { href } from '../../base/place.ts';
import { chooseTheme, theme, themes } from '../../base/theme.ts';
import { client, forget, may } from '../../data/connection.ts';
import { Headline } from '../../parts/headline.tsx';
import { Segments } from '../../parts/segments.tsx';
import { TourOffer } from '../tour/tour-offer.tsx';
import { Configuration } from './configuration.tsx';
import { t } from './words.ts';

const morePages = ['skills', 'tools', 'usage', 'trust', 'actors'] as const;

export function SettingsPage(_: PageProps) {
  return (
    <main class="page settings-page">
      <div class="wrap settings">
        <Headline title={t.title} about={t.about} />
        <nav class="more-pages" aria-label={t.more}>
          {morePages.map((name) => (
            <a key={name} class="btn" href={href(`/${name}`)}>
              {t[name]}
            </a>
          ))}
        </nav>
        <section class="panel here" aria-labelledby="settings-here">
          <h2 id="settings-here">{t.here}</h2>
          <Choice
            label={t.language}
            options={languages.map((one) => [one, nameOf(one)])}
            chosen={language.value}
            choose={chooseLanguage}
          />
          <Choice
            label={t.theme}
            options={themes.map((one) => [one, t[one]])}
            chosen={theme.value}
            choose={chooseTheme}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={areLettersOn.value}
              onChange={(event) => allowLetters(event.currentTarget.checked)}
            />
            {t.letters}
          </label>
          <p class="settings-acts">
            <button type="button" class="btn small" onClick={() => pressShortcut('?')}>
              {t.keys}
            </button>
            <button
              type="button"
              class="btn small"
              onClick={() => forget({ why: 'other', detail: t.loggedOut })}
            >
              {t.logOut}
            </button>
            <span class="dim">{t.version(client().connected?.version ?? '')}</span>
          </p>
          <TourOffer isSmall />
        </section>
        <section aria-labelledby="settings-configuration">
          <h2 id="settings-configuration">{t.configuration}</h2>
          {may('admin') ? <Configuration /> : <p class="empty">{t.needsAdmin}</p>}
        </section>
      </div>
    </main>
  );
}

type ChoiceProps<Value extends string> = Parameters<typeof Segments<Value>>[0] & { label: string };

function Choice<Value extends string>({ label, ...segments }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="seg">
        <Segments {...segments} />
      </div>
    </fieldset>
  );
}
