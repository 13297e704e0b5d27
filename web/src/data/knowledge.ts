/** What the gateway answers about memory, skills, tools, settings and trust, where its interface leaves the shape open. */

export interface MemoryFiles {
  files: { path: string; bytes: number; changedAt: number }[];
  problems: { path: string; problem: string }[];
  isCut: boolean;
}

/** Who wrote a line: a person, an agent, or an agent that had read untrusted text. */
export type Author = 'owner' | 'agent' | 'untrusted';

export interface MemoryHit {
  path: string;
  startLine: number;
  endLine: number;
  snippet: string;
  heading: string;
  score: number;
  from: Author;
}

export interface MemorySearch {
  mode: 'lexical' | 'hybrid';
  indexed: number;
  pending: number | null;
  stale: boolean;
  reason: string | null;
  results: MemoryHit[];
}

export interface MemoryText {
  path: string;
  startLine: number;
  endLine: number;
  totalLines: number;
  text: string;
  from: Author;
}

export interface Skill {
  name: string;
  description: string;
  from: 'bundled' | 'home' | 'project' | 'configured';
  path: string;
  forModels: boolean;
  forPeople: boolean;
  /** Why no run may use it. */
  off: string | null;
  warnings: readonly string[];
  shadows: readonly string[];
}

export interface Skills {
  skills: Skill[];
  bad: { path: string; reasons: readonly string[] }[];
  unknown: { name: string; field: string; nearest?: string }[];
  folders?: { folder: string; from: Skill['from'] }[];
}

export interface SkillDetails extends Skill {
  title: string | null;
  license: string | null;
  allowed: string[] | null;
  confirm: string[] | null;
  hash: string | null;
  isTrusted: boolean;
  files: readonly string[] | null;
  body: string;
}

export interface Tool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  sideEffect: 'readonly' | 'idempotent' | 'probe' | 'unsafe';
  asks: boolean;
  /** The rule that says so. */
  why: string;
  /** Why no run may use it. */
  disabled: string | null;
}

export interface Origin {
  source: string;
  /** The file, variable or flag. */
  from: string | null;
}

export interface Grant {
  n: number;
  tool: string;
  pattern: unknown;
  by: string | null;
  at: number;
  runId: string;
  callId: string;
  sessionId: string;
}

export interface Token {
  id: string;
  name: string;
  userId: string | null;
  scopes: readonly string[];
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}
