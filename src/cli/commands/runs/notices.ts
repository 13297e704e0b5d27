import type { Detent, NoticeView } from '../../../index.ts';
import { counted } from '../../../text/wording.ts';
import { reading, tenantOf } from '../../drive/with-detent.ts';
import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { type Column, listed, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs notices`: newest first. */
export async function listNotices(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1);
  const options = await loadOptions(flags, io);
  const list = async (detent: Detent) =>
    detent.runs.notices({ ...(limit !== undefined && { limit }), ...(await tenantOf(detent, options)) });
  const notices = hasDatabase(options) ? await reading(options, list) : [];
  if (flags.json) io.json(notices);
  else if (notices.length > 0) io.out(listed(notices, columnsFor(io), io.stdout));
  else io.say('there are no notices yet');
  return exit.ok;
}

function columnsFor({ stdout }: Io): Column<NoticeView>[] {
  return [
    { title: 'run', cell: ({ notice }) => notice.runId },
    { title: 'tenant', cell: ({ notice }) => `tenant ${notice.tenantId}`, unless: 'tenant 1' },
    { title: 'about', cell: ({ notice }) => notice.type, min: 11 },
    { title: 'status', cell: ({ status }) => status, min: 9 },
    { title: 'at', cell: ({ notice }) => timeCell(notice.at, stdout) },
    { title: 'attempts', cell: ({ attempts }) => counted(attempts, 'attempt'), rank: 1 },
    { title: 'error', cell: ({ error }) => (error ? `${error.code}: ${error.message}` : ''), min: 16 },
  ];
}
