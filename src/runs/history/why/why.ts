import { skillsIn } from '../../../agent/skills.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import type { RunRow } from '../../../store/rows.ts';
import { isImported, isJobRun, isTakeover, isWorkflowRun, jobOptionsOf } from '../../../store/stored-run.ts';
import { shellWord } from '../../../text/wording.ts';
import { statusAmongRuns } from '../../rows/run-status.ts';
import { openSubRuns } from '../../rows/sub-run-rows.ts';
import { chainOf } from './chain.ts';
import { ended } from './endings.ts';
import { type Evidence, type Reading, readEvidence, takeOversIn } from './evidence.ts';
import { advice, type Finding, told } from './finding.ts';
import { takenOver as takenOverAt } from './on-the-way.ts';
import { say } from './say.ts';
import { describeSkills } from './skills.ts';
import {
  awaitingConfirm,
  decided,
  interrupted,
  queued,
  reconciling,
  running,
  takenOver,
  unstarted,
  waitsForTask,
} from './waiting.ts';
import { type Below, ofWorkflow } from './workflow.ts';

/** Why a run is as it is. */
export interface Why extends MethodOutput<'run.why'> {}

/** Explains a run from its rows. It executes nothing and writes nothing. */
export async function explainRun(reading: Reading, row: RunRow): Promise<Why> {
  const evidence = await readEvidence(reading, row);
  const { output, unfolded } = evidence;
  const finding = await findingOf(reading, evidence);
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    status: (await statusAmongRuns(reading.store, row, reading.isDriven)).status,
    outcome: output?.outcome ?? null,
    ...told(isWorkflowRun(row) ? finding : withSkills(evidence, withTakeOvers(evidence, finding))),
    chain: chainOf(evidence),
    unfolded,
  };
}

async function findingOf(reading: Reading, evidence: Evidence): Promise<Finding> {
  const { status, transitions, blocker } = evidence;
  if (isImported(evidence.row)) return imported(evidence);
  if (isJobRun(evidence.row)) return ofJob(evidence);
  if (isTakeover(evidence.row)) return takenOver(evidence);
  if (status === 'queued') {
    const front = blocker && (await readEvidence(reading, blocker));
    return queued(evidence, front && { status: front.status, finding: await findingOf(reading, front) });
  }
  if (isWorkflowRun(evidence.row)) return ofWorkflow(reading, evidence, await runsBelow(reading, evidence));
  if (status === 'waiting')
    return transitions.at(-1)?.to.endsWith('reconciling') ? reconciling(evidence) : awaitingConfirm(evidence);
  if (status === 'unstarted') return unstarted(evidence);
  const isOpen = status === 'running' || status === 'interrupted' || status === 'decided';
  const below = isOpen ? await openTask(reading, evidence) : null;
  if (below) return waitsForTask(evidence, below.evidence, await findingOf(reading, below.evidence));
  if (status === 'decided') return decided(evidence);
  if (status === 'interrupted') return interrupted(evidence);
  if (status === 'running') return running(evidence);
  return ended(evidence);
}

/** The statechart of a job has no model and no process of its own: the schedule moves it when a slot comes. */
function ofJob({ row, transitions }: Evidence): Finding {
  const { jobId } = jobOptionsOf(row);
  const last = transitions.at(-1);
  return {
    cause: 'job',
    summary: say('job', { job: jobId, state: last?.to ?? 'idle' }),
    details: last ? [say('last_transition', { seq: last.seq, event: last.event.type })] : [],
    next: [advice(say('see_job'), `detent cron show ${shellWord(jobId)}`)],
  };
}

/** Each time that a process took the run over, whatever came of it since. */
function withTakeOvers(evidence: Evidence, finding: Finding): Finding {
  const { details } = finding;
  if (details.some(({ code }) => code === 'resumed' || code === 'taken_over')) return finding;
  return { ...finding, details: [...details, ...takeOversIn(evidence).map(takenOverAt)] };
}

/** The skills that a run follows decide what its calls may do, so the finding lists them. */
function withSkills({ events, options }: Evidence, finding: Finding): Finding {
  const skills = skillsIn(events, options);
  if (!skills || skills.followed.length === 0) return finding;
  const said = describeSkills(skills).map((line) =>
    line.code === 'skill_followed' ? say('skill', { followed: line }) : line,
  );
  return { ...finding, details: [...finding.details, ...said] };
}

/** The runs of services that a workflow waits for, each with why it is as it is. */
async function runsBelow(reading: Reading, { row }: Evidence): Promise<Below[]> {
  const below: Below[] = [];
  for (const child of await openSubRuns(reading.store, row)) {
    const evidence = await readEvidence(reading, child);
    below.push({ evidence, finding: await findingOf(reading, evidence) });
  }
  return below;
}

/** The sub-run that the run waits for, if any. */
async function openTask(reading: Reading, { row }: Evidence): Promise<{ evidence: Evidence } | null> {
  const [child] = await openSubRuns(reading.store, row);
  return child ? { evidence: await readEvidence(reading, child) } : null;
}

function imported({ row, options }: Evidence): Finding {
  const job = options.metadata?.job;
  return {
    cause: 'imported',
    summary: job === undefined ? say('imported') : say('message_of_job', { job }),
    details: [],
    next: [advice(say('read_conversation'), `detent sessions show ${shellWord(row.sessionKey)}`)],
  };
}
