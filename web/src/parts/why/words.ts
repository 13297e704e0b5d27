import { words } from '../../base/words.ts';

export const t = words({
  asksByDefault: [(tool: string) => `${tool} asks by default`, (tool) => `${tool} 默认会询问`],
});
