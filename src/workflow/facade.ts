/** A user’s chart as the engine drives it. */
export { chartHash } from './facade/chart-hash.ts';
export { type ChartService, servicesOf } from './facade/chart-services.ts';
export { ChartFault, plainJson } from './facade/plain-json.ts';
export { failureOf } from './facade/service-failure.ts';
