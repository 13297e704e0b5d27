import 'react-native-get-random-values';
import { open } from '@op-engineering/op-sqlite';
import type { Core, PendingView } from 'detent/core';
import { useEffect, useState } from 'react';
import { Button, SafeAreaView, ScrollView, Text, TextInput } from 'react-native';
import { openAgent } from './agent.ts';
import { openDriver } from './driver.ts';
import { onDevice } from './on-device.ts';
import { complete } from './your-model.ts';

const cart = new Map<string, string>();
let opened: Core | null = null;

/** One for the whole life of the process: the core has its database to itself. */
function agent(): Core {
  opened ??= openAgent(openDriver(open({ name: 'agent.db' })), onDevice(complete), {
    add: (sku, key) => void cart.set(key, sku),
  });
  return opened;
}

export default function App() {
  const [input, setInput] = useState('');
  const [answer, setAnswer] = useState('');
  const [runId, setRunId] = useState<string | null>(null);
  const [question, setQuestion] = useState<PendingView | null>(null);

  async function watch(id: string): Promise<void> {
    setRunId(id);
    const stop = agent().on(id, (signal) => {
      const delta = signal.delta as { type?: string; text?: string } | undefined;
      if (signal.type === 'delta' && delta?.type === 'text')
        setAnswer((before) => before + (delta.text ?? ''));
    });
    const view = await agent().runs.attach(id).result;
    stop();
    setQuestion(view.pending[0] ?? null);
    if (view.status !== 'waiting') setAnswer(view.text || view.status);
  }

  useEffect(() => {
    void agent()
      .runs.resume()
      .then(([left]) => (left ? watch(left) : undefined));
  }, []);

  async function send(): Promise<void> {
    setAnswer('');
    const run = agent().run(input, { sessionId: 'shopping' });
    setInput('');
    await watch(run.runId);
  }

  async function decide(verdict: 'approve' | 'reject'): Promise<void> {
    if (!runId || !question) return;
    setQuestion(null);
    if (question.kind === 'reconcile')
      await agent().runs.reconcile(runId, question.callId, { verdict: 'skip' });
    else await agent().runs.confirm(runId, question.callId, { verdict });
    await watch(runId);
  }

  return (
    <SafeAreaView>
      <ScrollView>
        <Text>{answer}</Text>
        {question && (
          <>
            <Text>{`${question.name} ${JSON.stringify(question.arguments)}`}</Text>
            <Button title="Yes" onPress={() => void decide('approve')} />
            <Button title="No" onPress={() => void decide('reject')} />
          </>
        )}
      </ScrollView>
      <TextInput value={input} onChangeText={setInput} onSubmitEditing={() => void send()} />
    </SafeAreaView>
  );
}
