import '../../parts/markdown/markdown.css';
import { prefix } from '../../base/place.ts';
import { CodeBlock } from '../../parts/markdown/code-block.tsx';
import { t } from './words.ts';

/** The lines that make an actor of a program appear here, with the address of this gateway. */
export function ShowYourOwn() {
  const gateway = `{ url: '${location.origin}${prefix}', token: process.env.DETENT_TOKEN`;
  const byInspect = [
    `import { inspect } from 'detent/inspect';`,
    `const inspector = inspect(${gateway}, sender: 'my-shop' });`,
    `createActor(machine, { inspect: inspector.inspect }).start();`,
  ];
  const byReal = [
    `import { createWebSocketInspector } from '@statelyai/inspect';`,
    `import { inspectUrl } from 'detent/inspect';`,
    `const url = await inspectUrl(${gateway} }, { use: 'send', sender: 'my-shop' });`,
    `createActor(machine, { inspect: createWebSocketInspector({ url }).inspect }).start();`,
  ];
  return (
    <div class="show-your-own">
      <h2>{t.byInspect}</h2>
      <CodeBlock text={byInspect.join('\n')} language="ts" />
      <h2>{t.byReal}</h2>
      <CodeBlock text={byReal.join('\n')} language="ts" />
      <h2>{t.token}</h2>
      <CodeBlock
        text="export DETENT_TOKEN=$(detent token create --scope read,write --name my-shop)"
        language="sh"
      />
    </div>
  );
}
