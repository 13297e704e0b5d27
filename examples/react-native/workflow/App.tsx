import 'react-native-get-random-values';
import { open } from '@op-engineering/op-sqlite';
import { isWorkflowView } from 'detent/core/workflows';
import { useEffect, useState } from 'react';
import { Button, SafeAreaView, ScrollView, Text, TextInput } from 'react-native';
import { openDriver } from '../core/driver.ts';
import { onDevice } from '../core/on-device.ts';
import { complete } from '../core/your-model.ts';
import { openReturns } from './returns.ts';

const backend = 'https://shop.example';
let opened: ReturnType<typeof openReturns> | null = null;

/** One for the whole life of the process: the core has its database to itself. */
function returns() {
  opened ??= openReturns({ storage: openDriver(open({ name: 'returns.db' })) }, onDevice(complete), {
    async register(order, reason, key) {
      const response = await fetch(`${backend}/returns`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ order, reason }),
      });
      if (!response.ok) throw new Error(`the shop answered ${response.status}`);
      return response.text();
    },
  });
  return opened;
}

export default function App() {
  const [order, setOrder] = useState('');
  const [complaint, setComplaint] = useState('');
  const [runId, setRunId] = useState<string | null>(null);
  const [question, setQuestion] = useState<string | null>(null);
  const [state, setState] = useState('');

  /** Shows what the run waits for, and how it ended. */
  async function watch(id: string): Promise<void> {
    setRunId(id);
    const view = await returns().core.runs.attach(id).result;
    setQuestion(view.pending[0]?.why ?? null);
    if (isWorkflowView(view)) setState(String(view.workflow.state));
  }

  useEffect(() => {
    void returns()
      .core.runs.resume()
      .then((ids) => {
        // What the chart invokes is a run below, with an id such as run_x.c2.
        const left = ids.find((id) => !id.includes('.'));
        return left ? watch(left) : undefined;
      });
  }, []);

  async function send(): Promise<void> {
    // The order is the key: a second tap starts no second return.
    const run = returns().workflows.start(
      'return',
      { order, complaint },
      { idempotencyKey: `return ${order}` },
    );
    await watch(await run.started);
  }

  async function decide(approved: boolean): Promise<void> {
    if (!runId) return;
    setQuestion(null);
    await returns().workflows.answer(runId, 'confirm', { approved });
    await watch(runId);
  }

  return (
    <SafeAreaView>
      <ScrollView>
        <Text>{state}</Text>
        {question && (
          <>
            <Text>{question}</Text>
            <Button title="Yes" onPress={() => void decide(true)} />
            <Button title="No" onPress={() => void decide(false)} />
          </>
        )}
      </ScrollView>
      <TextInput value={order} onChangeText={setOrder} onSubmitEditing={() => {}} />
      <TextInput value={complaint} onChangeText={setComplaint} onSubmitEditing={() => void send()} />
    </SafeAreaView>
  );
}
