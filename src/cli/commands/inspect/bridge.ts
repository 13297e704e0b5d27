import { randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InspectionMessage } from '../../../protocol/frames.ts';

/** The inspector of Stately, which draws in a browser what a window around it sends. */
export const statelyPage = 'https://stately.ai/inspect';

/** A page of this machine around that of Stately. */
interface Bridge {
  /** Only who has it gets anything. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Serves a page that shows the inspector of Stately in a frame, and hands it the messages once it asks for them: from the
 * first one each time, because it keeps none. No other page gets one.
 *
 * @param messages of a run, from its first transition on
 */
export async function openBridge(
  messages: () => AsyncIterable<InspectionMessage>,
  report: (error: unknown) => void,
): Promise<Bridge> {
  const secret = randomBytes(32).toString('base64url');
  const nonce = randomBytes(16).toString('base64url');
  let host = '';
  const server = createServer((request, response) => {
    const isMine = request.method === 'GET' && request.headers.host === host;
    if (isMine && request.url === `/${secret}`) respond(response, nonce);
    else if (isMine && request.url === `/${secret}/messages`) void stream(response, messages, report);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}/${secret}`, stop: () => stop(server) };
}

function respond(response: ServerResponse, nonce: string): void {
  const { origin } = new URL(statelyPage);
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `frame-src ${origin}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(bridgeHtml(nonce, origin));
}

function bridgeHtml(nonce: string, origin: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Detent in the inspector of Stately</title>
    <style nonce="${nonce}">html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block }</style>
  </head>
  <body>
    <iframe title="The inspector of Stately" src="${statelyPage}"></iframe>
    <script nonce="${nonce}">
      const frame = document.querySelector('iframe');
      let source = null;
      addEventListener('message', ({ source: from, origin, data }) => {
        if (from !== frame.contentWindow || origin !== '${origin}' || data?.type !== '@statelyai.connected') return;
        source?.close();
        source = new EventSource(location.pathname + '/messages');
        source.onmessage = ({ data }) => frame.contentWindow.postMessage(JSON.parse(data), '${origin}');
        source.addEventListener('end', () => source.close());
        // A second connection would send all of it again, beside what is there.
        source.onerror = () => source.close();
      });
    </script>
  </body>
</html>
`;
}

async function stream(
  response: ServerResponse,
  messages: () => AsyncIterable<InspectionMessage>,
  report: (error: unknown) => void,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const iterator = messages()[Symbol.asyncIterator]();
  response.once('close', () => void iterator.return?.());
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const isTaken = response.write(`data: ${JSON.stringify(next.value)}\n\n`);
      if (!isTaken)
        await new Promise((resolve) => void response.once('drain', resolve).once('close', resolve));
    }
    response.write('event: end\ndata: {}\n\n');
  } catch (error) {
    report(error);
  }
  response.end();
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}
