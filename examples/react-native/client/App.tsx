import { type Client, createClient } from 'detent/client';
import { useEffect, useState } from 'react';
import { Button, SafeAreaView, ScrollView, Text, TextInput } from 'react-native';

interface Question {
  runId: string;
  callId: string;
  hash: string;
  text: string;
}

/** Your backend knows who is logged in, and makes a token for that user: see docs/android.md. */
async function askForToken(): Promise<string> {
  const response = await fetch('https://shop.example/agent-token', { method: 'POST' });
  return ((await response.json()) as { token: string }).token;
}

export default function App() {
  const [client, setClient] = useState<Client | null>(null);
  const [input, setInput] = useState('');
  const [answer, setAnswer] = useState('');
  const [question, setQuestion] = useState<Question | null>(null);

  useEffect(() => {
    const made = createClient({ url: 'https://shop.example/agent', token: askForToken });
    setClient(made);
    return () => made.close();
  }, []);

  async function send(): Promise<void> {
    if (!client) return;
    setAnswer('');
    const run = client.run(input, { sessionId: 'shopping' });
    setInput('');
    for await (const { event, runId, payload } of run.events) {
      if (event === 'assistant.delta') setAnswer((before) => before + payload.content);
      if (event === 'tool.confirm_request')
        setQuestion({
          runId,
          callId: payload.callId,
          hash: payload.argumentsHash,
          text: `${payload.name} ${JSON.stringify(payload.arguments)}`,
        });
    }
  }

  async function decide(verdict: 'approve' | 'reject'): Promise<void> {
    if (!client || !question) return;
    const { runId, callId, hash } = question;
    setQuestion(null);
    await client.confirm(runId, callId, { verdict, hash });
  }

  return (
    <SafeAreaView>
      <ScrollView>
        <Text>{answer}</Text>
        {question && (
          <>
            <Text>{question.text}</Text>
            <Button title="Yes" onPress={() => void decide('approve')} />
            <Button title="No" onPress={() => void decide('reject')} />
          </>
        )}
      </ScrollView>
      <TextInput value={input} onChangeText={setInput} onSubmitEditing={() => void send()} />
    </SafeAreaView>
  );
}
