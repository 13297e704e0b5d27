import { exampleCharts } from '../charts.ts';
import type { Scenario } from './scenario.ts';

const chart = (name: string) => exampleCharts(name).workflow;

const customer = {
  id: 'customer123',
  name: 'John Doe',
  SSN: 123456,
  yearlyIncome: 50000,
  address: '123 MyLane, MyCity, MyCountry',
  employer: 'MyCompany',
};
const messages = [
  { subject: 'Hello', priority: 'high' },
  { subject: 'Hi', priority: 'low' },
];
const vitals = (type: string) => ({
  send: { type: `org.monitor.${type}`, source: 'monitoringSource', id: 'event1', patientId: 'patient1' },
});
const creditCheck = (decision: string) => ({
  done: 'callCreditCheckMicroservice',
  output: { id: 'customer123', score: 700, decision, reason: 'a reason' },
});

/** Workflow examples of the XState repository, with what their services answer. */
export const xstateExamples: readonly Scenario[] = [
  {
    name: 'workflow-async-function',
    chart: chart('workflow-async-function'),
    input: { customer: 'david@example.com' },
    course: [{ done: 'sendEmail' }],
  },
  {
    name: 'workflow-async-function, whose service fails',
    chart: chart('workflow-async-function'),
    input: { customer: 'david@example.com' },
    course: [{ fails: 'sendEmail', message: 'no such mailbox' }],
  },
  {
    name: 'workflow-async-subflow',
    chart: chart('workflow-async-subflow'),
    course: [
      { done: 'prompt', output: { response: 'Jenny' } },
      { done: 'prompt', output: { response: '' } },
    ],
  },
  {
    name: 'workflow-check-inbox, whose reminders come from outside',
    chart: chart('workflow-check-inbox'),
    isClosed: true,
    course: [
      { send: { type: 'reminder' } },
      { done: 'checkInboxFunction', output: messages },
      { send: { type: 'reminder' } },
      { done: 'sendTextsFunction', output: { status: 'success' } },
      { send: { type: 'reminder' } },
    ],
  },
  {
    name: 'workflow-credit-check, approved',
    chart: chart('workflow-credit-check'),
    input: { customer },
    course: [
      creditCheck('Approved'),
      { done: 'startApplicationWorkflowId', output: { application: { id: 'a' } } },
    ],
  },
  {
    name: 'workflow-credit-check, denied',
    chart: chart('workflow-credit-check'),
    input: { customer },
    course: [
      { wait: 14 * 60_000 },
      creditCheck('Denied'),
      { wait: 60_000 },
      { done: 'sendRejectionEmailFunction', output: { email: { id: 'email123', status: 'Sent' } } },
    ],
  },
  {
    name: 'workflow-credit-check, too late',
    chart: chart('workflow-credit-check'),
    input: { customer },
    course: [{ wait: 15 * 60_000 }],
  },
  ...['visaApprovedEvent', 'visaRejectedEvent'].map((type) => ({
    name: `workflow-event-based, ${type}`,
    chart: chart('workflow-event-based'),
    course: [
      { send: { type } },
      { wait: 2_000 },
      {
        done: type === 'visaApprovedEvent' ? 'handleApprovedVisaWorkflowID' : 'handleRejectedVisaWorkflowID',
      },
    ],
  })),
  {
    name: 'workflow-event-based, no decision',
    chart: chart('workflow-event-based'),
    course: [
      { wait: 1_000 },
      { send: { type: 'visaApprovedEvent' } },
      { done: 'handleNoVisaDecisionWorkflowId' },
    ],
  },
  {
    name: 'workflow-greeting',
    chart: chart('workflow-greeting'),
    input: { person: { name: 'Jenny' } },
    course: [{ done: 'greetingFunction', output: { greeting: 'Hello, Jenny!' } }],
  },
  {
    name: 'workflow-monitor-patient',
    chart: chart('workflow-monitor-patient'),
    input: { patientId: 'patient1' },
    course: [
      vitals('highBodyTemp'),
      vitals('highBloodPressure'),
      vitals('highRespirationRate'),
      vitals('highBodyTemp'),
    ],
  },
  {
    name: 'workflow-parallel',
    chart: chart('workflow-parallel'),
    course: [{ done: 'shortDelay' }, { done: 'longDelay' }],
  },
  {
    name: 'workflow-purchase-order-deadline, in time',
    chart: chart('workflow-purchase-order-deadline'),
    course: [
      { send: { type: 'OrderCreatedEvent' } },
      { wait: 10_000 },
      { send: { type: 'OrderConfirmedEvent' } },
      { send: { type: 'ShipmentSentEvent' } },
    ],
  },
  {
    name: 'workflow-purchase-order-deadline, too late',
    chart: chart('workflow-purchase-order-deadline'),
    course: [
      { send: { type: 'OrderCreatedEvent' } },
      { wait: 15_000 },
      { send: { type: 'OrderConfirmedEvent' } },
      { done: 'CancelOrder' },
    ],
  },
];
