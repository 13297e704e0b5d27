import type { RefObject } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { isOffline, mayNotTalk } from '../../../../data/connection.ts';
import { SkillChip } from '../../skill-chip.tsx';
import { takesCaret } from './draft.ts';
import { SkillPicker } from './skill-picker.tsx';
import type { SkillPicking } from './use-skill-picker.ts';
import { t } from './words.ts';

interface MessageAreaProps {
  area: RefObject<HTMLTextAreaElement | null>;
  sessionId: string | null;
  placeholder: string;
  picker: SkillPicking;
  submit(): void;
  attach(files: Iterable<File>): void;
}

/** The text area of a message, and over it the skills that it can begin with. */
export function MessageArea(props: MessageAreaProps) {
  const { area, sessionId, placeholder, picker, submit, attach } = props;
  const { words: text, write, chosen } = picker;
  const listId = useId();
  useLayoutEffect(() => {
    if (!takesCaret(sessionId)) return;
    area.current?.focus({ preventScroll: true });
    area.current?.setSelectionRange(text.length, text.length);
  }, []);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  function onKeyDown(event: KeyboardEvent): void {
    // An input method takes Enter, arrows and Escape for itself.
    if (event.isComposing || event.keyCode === 229) return;
    if (picker.press(event.key)) {
      event.preventDefault();
      return;
    }
    const { selectionStart, selectionEnd } = event.currentTarget as HTMLTextAreaElement;
    if (chosen !== null && event.key === 'Backspace' && selectionStart + selectionEnd === 0) {
      event.preventDefault();
      picker.drop();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      breakLine();
    } else if (!matchMedia('(pointer: coarse)').matches) {
      event.preventDefault();
      submit();
    }
  }
  function breakLine(): void {
    const element = area.current;
    if (!element) return;
    element.setRangeText('\n', element.selectionStart, element.selectionEnd, 'end');
    write(element.value);
  }

  return (
    <>
      {picker.isOpen && <SkillPicker id={listId} skills={picker.skills} at={picker.at} pick={picker.pick} />}
      <div class="message-line">
        {chosen !== null && <SkillChip name={chosen} remove={picker.drop} />}
        <textarea
          ref={area}
          rows={1}
          maxLength={2_000_000}
          aria-label={t.message}
          placeholder={placeholder}
          value={text}
          autocomplete="off"
          aria-autocomplete="list"
          aria-controls={picker.isOpen ? listId : undefined}
          aria-activedescendant={
            picker.isOpen && picker.skills[picker.at] ? `${listId}-${picker.at}` : undefined
          }
          disabled={mayNotTalk() && !isOffline.value}
          onKeyDown={onKeyDown}
          onKeyUp={picker.moved}
          onClick={picker.moved}
          onBlur={picker.close}
          onInput={(event) => {
            write(event.currentTarget.value);
            picker.typed();
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files ?? [];
            if (pasted.length === 0) return;
            event.preventDefault();
            attach(pasted);
          }}
        />
      </div>
    </>
  );
}
