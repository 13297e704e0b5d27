import { useState } from 'preact/hooks';
import { asTyped } from '../base/command.ts';
import { chatPath, go, href, runPath } from '../base/place.ts';
import { may } from '../data/connection.ts';
import { useAction } from '../data/use-action.ts';
import { ask } from '../data/use-request.ts';
import { EventSender } from './event-sender/event-sender.tsx';
import { MessageSender } from './event-sender/message-sender.tsx';
import { Failure } from './failure.tsx';
import { DecideButton } from './question/decide-button.tsx';
import { visible } from './visible.ts';
import type { Finding } from './why/finding.ts';
import { t } from './words.ts';

type Step = NonNullable<Finding['next'][number]['step']>;
type SendStep = Extract<Step, { does: 'write' | 'send' }>;

/** What a person can do about a run: a button where the page can do it, and below, the command that does the same. */
export function NextSteps({
  finding: { sessionId, next },
  isShort = false,
}: {
  finding: Pick<Finding, 'sessionId' | 'next'>;
  /** The commands, and what they do, are folded. */
  isShort?: boolean;
}) {
  // A run that asks goes on by itself when it has its answer.
  const isAsking = next.some(({ step }) => step?.does === 'decide' || step?.does === 'answer');
  return (
    <ul class="next-steps">
      {next.map(({ text, command, step }) => {
        const isFolded = isShort && command !== null;
        return (
          <li key={text}>
            {!isFolded && <span>{asSentence(text)}</span>}
            {step !== null && !(isAsking && step.does === 'goOn') && (
              <StepButton step={step} sessionId={sessionId} />
            )}
            {isFolded && (
              <details class="folded">
                {/* A button says what it does. */}
                <summary>{step === null ? asSentence(text) : t.asCommand}</summary>
                {step !== null && <p>{asSentence(text)}</p>}
                <code>{asTyped(command)}</code>
              </details>
            )}
            {!isFolded && command !== null && <code>{asTyped(command)}</code>}
          </li>
        );
      })}
    </ul>
  );
}

/** The gateway's advice begins with a small letter, to follow a colon. */
function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What needs words or a payload is written and sent here. */
function Sender({ step, sessionId }: { step: SendStep; sessionId: string }) {
  const [isOpen, open] = useState(false);
  const close = () => open(false);
  const say = async (prompt: string) => {
    await ask('agent.run', { sessionId, prompt });
    go(chatPath(sessionId));
  };
  return (
    <>
      <button
        type="button"
        class="btn small"
        aria-expanded={isOpen}
        disabled={!may('write')}
        onClick={() => open(!isOpen)}
      >
        {step.does === 'send' ? <code>{visible(step.type)}</code> : t.write}
      </button>
      {isOpen && step.does === 'send' && <EventSender runId={step.runId} type={step.type} close={close} />}
      {isOpen && step.does === 'write' && <MessageSender what={t.message} send={say} close={close} />}
    </>
  );
}

function StepButton({ step, sessionId }: { step: Step; sessionId: string }) {
  const { isBusy, error, act } = useAction();
  if (step.does === 'write' || step.does === 'send') return <Sender step={step} sessionId={sessionId} />;
  const words = step.does === 'say' ? t.say(visible(step.prompt)) : t[step.does];
  if (step.does === 'decide' || step.does === 'answer')
    return <DecideButton runId={step.runId} words={words} />;
  if (step.does === 'look')
    return (
      <a class="btn small" href={href(runPath(step.runId))}>
        {words}
      </a>
    );
  const perform = async () => {
    if (step.does === 'goOn') await ask('run.resume', { runId: step.runId });
    else if (step.does === 'fork') {
      const fork = await ask('run.fork', { runId: step.runId, at: step.at });
      go(chatPath(fork.sessionId));
    } else if (step.does === 'say') {
      await ask('agent.run', { sessionId, prompt: step.prompt });
      go(chatPath(sessionId));
    }
  };
  return (
    <>
      <button
        type="button"
        class="btn small"
        disabled={isBusy || !may('write')}
        onClick={() => void act(perform)}
      >
        {words}
      </button>
      {error && <Failure error={error} />}
    </>
  );
}
