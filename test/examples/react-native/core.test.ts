import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgent } from '../../../examples/react-native/core/agent.ts';
import { openDriver, statementsOf } from '../../../examples/react-native/core/driver.ts';
import { type Complete, onDevice } from '../../../examples/react-native/core/on-device.ts';
import { complete } from '../../../examples/react-native/core/your-model.ts';
import { temporaryFile } from '../../store/support.ts';
import { phoneDatabase, scriptedPhone } from './phone.ts';

function openApp(file: string, speak: Complete) {
  const cart = new Map<string, string>();
  const core = openAgent(openDriver(phoneDatabase(file)), onDevice(speak), {
    add: (sku, key) => void cart.set(key, sku),
  });
  onTestFinished(() => core.close());
  return { core, cart };
}

describe('the React Native example with the core', () => {
  it('streams, asks, and goes on after the process was gone while it asked', async () => {
    const file = await temporaryFile();
    const first = openApp(file, scriptedPhone(['TOOL add_to_cart {"sku":"A7"}']).speak);
    const run = first.core.run('The red one, please.', { sessionId: 'shopping' });
    const { status, pending } = await run.result;
    expect([status, pending[0]?.name]).toEqual(['waiting', 'add_to_cart']);
    await first.core.close();

    const { speak, prompts } = scriptedPhone(['It is in your cart.']);
    const { core, cart } = openApp(file, speak);
    expect(await core.runs.resume()).toEqual([run.runId]);
    const pieces: unknown[] = [];
    core.on(run.runId, (signal) => signal.type === 'delta' && pieces.push(Object(signal.delta).text));
    const again = core.runs.attach(run.runId);
    await again.confirm(String(pending[0]?.callId), { verdict: 'approve' });
    expect(await again.result).toMatchObject({ status: 'done', text: 'It is in your cart.' });
    expect([...cart.values()]).toEqual(['A7']);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe('It is in your cart.');
    expect(prompts[0]).toContain('add_to_cart');
  });

  it('answers with the model that stands in for yours', async () => {
    const { core } = openApp(':memory:', complete);
    expect((await core.run('Good morning').result).text).toBe('Good morning');
  });

  it('performs a script of SQL one statement at a time', () => {
    const trigger = 'create trigger t after delete on a begin\n  delete from b; delete from c;\nend;';
    expect(statementsOf(`create table a (x);\n${trigger}\ncommit`)).toEqual([
      'create table a (x);',
      trigger,
      'commit',
    ]);
  });
});
