import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';
import { Egress, type EgressConfig } from '../http/egress.ts';
import type { ConnectorOptions } from '../http/exchange.ts';

export interface HttpGetOptions extends Pick<ConnectorOptions, 'resolve' | 'dial'> {
  egress?: EgressConfig;
  /** Default 30,000. */
  timeoutMs?: number;
  /** Maximum bytes of one response, on the wire and decompressed. Default 5 MB. */
  maxBytes?: number;
}

const defaultChars = 20_000;
/** Below the size above which the agent stores a tool's output separately and shows the model only a preview. */
const maxChars = 40_000;

const parameters = ownArguments(
  { url: { type: 'string', minLength: 1, maxLength: 8_000, description: 'http:// or https:// URL' } },
  {
    offset: { type: 'integer', minimum: 0, description: 'First character of the text to return; default 0' },
    max_chars: {
      type: 'integer',
      minimum: 1,
      maximum: maxChars,
      description: `Most characters to return; default ${defaultChars}`,
    },
  },
);

/**
 * `http_get`: a web page as text. The result begins with a line that marks it as data of its URL, because a page may
 * contain text that poses as instructions.
 *
 * @throws DetentError `INVALID_CONFIG` for an entry of `egress` that cannot be read.
 */
export function httpGetTool(options: HttpGetOptions = {}): Tool {
  const egress = new Egress(options.egress);
  const { maxBytes = 5 * 1024 * 1024, timeoutMs = 30_000 } = options;
  return defineTool({
    name: 'http_get',
    description:
      'Gets a public web page or API by HTTP GET, and returns its text: HTML as readable text with links, JSON and ' +
      'other text as it is. Follows redirects. Sends no cookies and no credentials; private addresses are refused.',
    parameters,
    sideEffect: 'readonly',
    untrusted: true,
    // The query of a URL can leak data.
    sends: true,
    grantBy: ['url'],
    timeoutMs,
    async run({ url, offset = 0, max_chars = defaultChars }, { signal }) {
      // Node takes 20 ms of a start for its HTTP.
      const { pageText } = await import('../http/page-text.ts');
      return pageText(url, { from: offset, maxChars: max_chars }, { ...options, egress, maxBytes, signal });
    },
  });
}
