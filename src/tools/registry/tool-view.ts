import type { ToolView } from '../../protocol/ports.ts';
import type { RegisteredTool } from './registry.ts';

/**
 * The description of a tool for people.
 *
 * @param confirm the configuration's `policy.confirm`, per tool.
 */
export function toolView(
  { tool, spec }: RegisteredTool,
  confirm: Readonly<Record<string, boolean>>,
): Omit<ToolView, 'disabled'> {
  const { sideEffect = null, confirm: declared = null } = tool.declared ?? {};
  const configured = Object.hasOwn(confirm, tool.name) ? (confirm[tool.name] ?? null) : null;
  return {
    ...spec,
    sideEffect,
    asks: configured ?? declared,
    why: whyOf(tool.name, configured, declared),
    ...(tool.grantBy && { grantBy: [...tool.grantBy] }),
  };
}

function whyOf(name: string, configured: boolean | null, own: boolean | null): string {
  if (configured === null) return `tool default: ${name}`;
  const isBeaten = own !== null && own !== configured;
  return `configuration: confirm ${name}${isBeaten ? `, over tool default: ${name} ${own ? 'asks' : 'does not ask'}` : ''}`;
}
