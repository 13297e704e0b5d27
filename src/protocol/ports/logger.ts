/** From the most to the least important. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The part of pino's shape that is used: https://getpino.io/#/docs/api?id=logger-instance */
export interface Logger {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  /** Without it every level counts as enabled. */
  isLevelEnabled?(level: LogLevel): boolean;
}
