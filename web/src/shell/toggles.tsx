import { chooseLanguage, language } from '../base/language.ts';
import { toggleTheme } from '../base/theme.ts';
import { t } from './words.ts';

/** The theme and the language of the page. */
export function Toggles() {
  return (
    <>
      <button type="button" class="toggle" title={t.theme} aria-label={t.theme} onClick={toggleTheme}>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
          <path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
        </svg>
      </button>
      <button
        type="button"
        class="toggle"
        lang={language.value === 'en' ? 'zh-CN' : 'en'}
        aria-label={t.otherLanguage}
        onClick={() => chooseLanguage(language.value === 'en' ? 'zh-CN' : 'en')}
      >
        {language.value === 'en' ? '中文' : 'EN'}
      </button>
    </>
  );
}
