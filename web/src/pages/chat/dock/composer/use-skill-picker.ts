import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { announce } from '../../../../base/announce.tsx';
import { may } from '../../../../data/connection.ts';
import { useRequest } from '../../../../data/use-request.ts';
import { chosenSkill, matchingSkills, moveIn, type PickedSkill, skillWord } from './skills.ts';
import { t } from './words.ts';

export interface SkillPicking {
  isOpen: boolean;
  /** The name of the skill that the message begins with. */
  chosen: string | null;
  /** The message without that name: what the area shows. */
  words: string;
  /** Keeps what the person wrote beside it. */
  write(words: string): void;
  /** Takes the skill away, and leaves the words. */
  drop(): void;
  skills: readonly PickedSkill[];
  /** The line that the keys are at. */
  at: number;
  /** Begins the message with a skill. */
  open(): void;
  close(): void;
  pick(skill: PickedSkill): void;
  /** The caret of the text area moved. */
  moved(): void;
  /** The person typed. */
  typed(): void;
  /** Performs what a key means here; false if it was meant for the text. */
  press(key: string): boolean;
}

/** The list of skills over a message that begins with one, and the skill that was chosen. `write` keeps the whole message. */
export function useSkillPicker(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  write: (text: string) => void,
): SkillPicking {
  const [caret, setCaret] = useState(0);
  const [isPicking, setPicking] = useState(false);
  const [at, setAt] = useState(0);
  const { data } = useRequest('skill.list', text.startsWith('/') && may('read') ? {} : null);
  const chosen = data ? chosenSkill(text, data.skills) : null;
  const words = chosen?.words ?? text;
  const word = isPicking && chosen === null ? skillWord(text, caret) : null;
  const skills = word !== null && data ? matchingSkills(data.skills, word) : [];
  const isOpen = word !== null && data !== undefined;
  useEffect(() => {
    if (isOpen) announce(t.skillsFound(skills.length));
  }, [isOpen, skills.length]);

  /** At once, and not with the next rendering: the person types on. */
  const put = (value: string, end: number, message = value) => {
    const element = area.current;
    if (!element) return;
    element.focus();
    element.value = value;
    element.setSelectionRange(end, end);
    write(message);
    setCaret(end);
  };
  const moved = () => setCaret(area.current?.selectionStart ?? 0);
  const pick = (skill: PickedSkill) => {
    if (skill.why !== null) return;
    const rest = text.slice(caret).trimStart();
    put(rest, 0, `/${skill.name} ${rest}`);
    setPicking(false);
  };
  return {
    isOpen,
    chosen: chosen?.name ?? null,
    words,
    write: (value) => write(chosen === null ? value : `/${chosen.name} ${value}`),
    drop: () => put(words, 0),
    skills,
    at,
    open() {
      const value = words.startsWith('/') ? words : `/${words}`;
      put(value, /^\/[^\s/]*/.exec(value)?.[0].length ?? 1);
      setAt(0);
      setPicking(true);
    },
    close: () => setPicking(false),
    pick,
    moved,
    typed() {
      moved();
      setAt(0);
      setPicking(area.current?.value.startsWith('/') ?? false);
    },
    press(key) {
      const move = isOpen ? moveIn(skills, at, key) : null;
      if (move === null) return false;
      if (move === 'close') setPicking(false);
      else if (typeof move === 'number') setAt(move);
      else pick(move);
      return true;
    },
  };
}
