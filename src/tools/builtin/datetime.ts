import { defineTool, ownArguments, type Tool, ToolFailure } from '../../protocol/tool.ts';

const parameters = ownArguments(
  {},
  {
    timezone: {
      type: 'string',
      description: 'IANA name such as Asia/Shanghai or UTC; default the local zone',
    },
  },
);

/** `datetime`: the current time. @param now epoch milliseconds. */
export function datetimeTool(now: () => number): Tool {
  return defineTool({
    name: 'datetime',
    description: 'Tells the current date, time and weekday, here or in a given time zone.',
    parameters,
    sideEffect: 'readonly',
    run({ timezone }) {
      const at = now();
      const format = formatter(timezone);
      const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
      const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
      // "GMT+08:00", and "GMT" alone for UTC.
      const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
      const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
      const time = `${part('hour')}:${part('minute')}:${part('second')}`;
      const zone = timezone ?? format.resolvedOptions().timeZone;
      return `${date}T${time}${offset}, ${part('weekday')}, ${zone} (epoch ${at} ms)`;
    },
  });
}

function formatter(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
      ...(timeZone !== undefined && { timeZone }),
    });
  } catch (error) {
    const message = `${JSON.stringify(timeZone?.slice(0, 80))} is not a time zone; use an IANA name such as Asia/Shanghai, Europe/Berlin or UTC`;
    throw new ToolFailure('UNKNOWN_TIMEZONE', message, { cause: error });
  }
}
