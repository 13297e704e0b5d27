import type { Limiter } from '../../text/limiter.ts';
import type { DeliveryParts } from '../deliver/deliver.ts';
import type { Zones } from '../times/zone.ts';

/** What the effects of jobs use in a process that runs the schedule. */
export interface WorkParts extends DeliveryParts {
  /** What was learned of time zones. */
  zones: Zones;
  /** How many runs of jobs may be at work at once. */
  room: Limiter;
}
