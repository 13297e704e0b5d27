import type { Clock } from '../../engine/clock.ts';
import { createModelDirectory } from '../../models/directory.ts';
import type { ModelDirectory } from '../../protocol/ports.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../config/redaction.ts';

/** The models of a configuration. A provider is loaded with its first call, and its key becomes a secret then. */
export function openModels(
  { models: providers = {}, env = process.env, router, demoPieceDelayMs, demoTourDelayMs }: DetentOptions,
  clock: Clock,
  secrets: SecretRedactor,
): ModelDirectory {
  return createModelDirectory({
    providers,
    env,
    onKey: secrets.add,
    clock,
    ...(router && { router }),
    demo: {
      ...(demoPieceDelayMs !== undefined && { pieceDelayMs: demoPieceDelayMs }),
      ...(demoTourDelayMs !== undefined && { tourDelayMs: demoTourDelayMs }),
    },
  });
}
