import type { Complete } from './on-device.ts';

/** Put your model here, such as a binding to llama.cpp. This one only repeats what it reads last, word by word. */
export const complete: Complete = async (prompt, onText) => {
  const last = prompt.split('\nuser: ').at(-1)?.split('\n')[0] ?? '';
  for (const word of last.split(/(?<= )/)) onText(word);
  return last;
};
