import './tokens.css';
import './base.css';
import { render } from 'preact';
import { listenToKeys } from './base/keys.ts';
import { keepDocumentLanguage } from './base/language.ts';
import { followLinks } from './base/place.ts';
import { keepDocumentTheme } from './base/theme.ts';
import { begin } from './data/login.ts';
import { App } from './shell/app.tsx';

keepDocumentLanguage();
keepDocumentTheme();
followLinks();
listenToKeys();
const root = document.getElementById('root');
if (root) render(<App />, root);
void begin();
