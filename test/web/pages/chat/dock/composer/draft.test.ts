import { expect, it } from 'vitest';
import {
  continueDraftIn,
  draftOf,
  keepDraft,
  takesCaret,
} from '../../../../../../web/src/pages/chat/dock/composer/draft.ts';

it('keeps what is written by session', () => {
  keepDraft('a', 'of a');
  keepDraft(null, 'of a new one');
  expect([draftOf('a'), draftOf('b'), draftOf(null)]).toEqual(['of a', '', 'of a new one']);
});

it('moves what is written meanwhile, and the caret, to the session that a message began', () => {
  keepDraft(null, 'and then');
  continueDraftIn('begun', true);
  expect([draftOf(null), draftOf('begun')]).toEqual(['', 'and then']);
  expect([takesCaret('other'), takesCaret(null), takesCaret('begun'), takesCaret('begun')]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

it('leaves the draft of a session alone while nothing else was written', () => {
  keepDraft('kept', 'mine');
  keepDraft(null, '');
  continueDraftIn('kept', false);
  expect(draftOf('kept')).toBe('mine');
  expect(takesCaret('kept')).toBe(false);
});
