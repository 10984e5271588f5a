import { join, relative, sep } from 'node:path';
import type { TranscriptReading } from '../agents/agent.js';
import type { ProgramResult } from '../domain/trial/program-contract.js';
import type { MetaRecord, MetricsRecord } from '../domain/trial/records.js';
import { createFileAtomic, writeJsonAtomic } from '../support/atomic-file.js';
import { crashPoint } from '../support/test-switches.js';
import type { Classification } from './classify.js';
import type { TrialFacts } from './supervisor-spec.js';

/** All that an attempt's two records are made of. */
export interface AttemptFacts {
  readonly facts: TrialFacts;
  readonly classification: Classification;
  readonly result: ProgramResult | null;
  readonly reading: TranscriptReading | null;
  /** Whole trial, ISO-8601 UTC, as whoever writes the record saw it. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly hostWallSeconds: number;
  readonly toolchain: Readonly<Record<string, string>>;
  readonly host: Readonly<Record<string, string | number>>;
  readonly imageId: string | null;
  readonly proof: string;
  readonly leftoversKilled: number;
  readonly leftoversBefore: number;
  readonly agentOom: boolean;
}

export function metaRecord(attempt: AttemptFacts): MetaRecord {
  const { facts, classification, result, reading } = attempt;
  const { agent, changes, isolation } = result ?? { agent: null, changes: null, isolation: null };
  return {
    schema_version: 1,
    ...facts,
    status: classification.status,
    ...(classification.reason === null ? {} : { aborted: classification.reason }),
    ...(classification.detail === null ? {} : { detail: classification.detail }),
    ...resumeFields(classification),
    ...(classification.loud ? { loud: true } : {}),
    passed: classification.passed,
    fix_verified: classification.passed,
    timed_out: agent?.timedOut ?? false,
    ...(agent?.outputLimited === true ? { output_limited: true } : {}),
    ...(agent?.stalled === true ? { agent_stalled: true } : {}),
    ...(attempt.agentOom ? { oom_killed: true } : {}),
    agent_exit: agent?.exit ?? null,
    agent_signal: agent?.signal ?? null,
    wall_seconds: agent?.wallSeconds ?? null,
    started_at: agent?.startedAt ?? attempt.startedAt,
    finished_at: agent?.finishedAt ?? attempt.finishedAt,
    host_wall_seconds: round(attempt.hostWallSeconds),
    model_reported: reading?.modelReported ?? null,
    changed_files: changes?.changedFiles ?? [],
    untracked_files: changes?.untrackedFiles ?? [],
    touched_impl_file: changes?.touchedImplFile ?? null,
    touched_target: changes?.touchedImplFile ?? null,
    edited_test_dir: changes?.editedTestDir ?? null,
    test_file_edited: changes?.testFileEdited ?? null,
    test_before_exit: result?.before?.exit ?? null,
    test_after_exit: result?.after?.exit ?? null,
    db_prepare_exit: result?.dbPrepareExit ?? null,
    branches_visible_to_agent: isolation?.branches ?? [],
    history_visible_to_agent: isolation?.head ?? null,
    clean_tree_before: isolation?.clean ?? null,
    toolchain: attempt.toolchain,
    image_id: attempt.imageId,
    host: attempt.host,
    proof: attempt.proof,
    leftovers_killed: attempt.leftoversKilled,
    leftovers_before: attempt.leftoversBefore,
  };
}

function resumeFields({
  resume,
}: Classification): Pick<MetaRecord, 'resume' | 'resume_scope' | 'resume_at'> {
  if (resume === undefined) return {};
  const { kind, scope, at } = resume;
  return { resume: kind, resume_scope: scope, ...(at === undefined ? {} : { resume_at: at }) };
}

export function metricsRecord(attempt: AttemptFacts, trialPath: string): MetricsRecord {
  const meta = metaRecord(attempt);
  return {
    ...attempt.reading?.metrics,
    schema_version: 1,
    task: meta.task,
    app: meta.app,
    agent: meta.agent,
    condition: meta.condition,
    repeat: meta.repeat,
    targets: meta.targets,
    passed: meta.passed,
    wall_seconds: meta.wall_seconds,
    timed_out: meta.timed_out,
    changed_files: meta.changed_files,
    model_reported: meta.model_reported,
    trial_dir: trialPath,
  };
}

/**
 * Closes an attempt: metrics.json where it was graded, then meta.json. The first who closes it wins.
 * @returns whether this call closed it
 */
export async function closeAttempt(
  attemptDir: string,
  experimentDir: string,
  attempt: AttemptFacts,
): Promise<boolean> {
  if (attempt.classification.status === 'valid') {
    const trialPath = relative(experimentDir, attemptDir).split(sep).join('/');
    // Its name is made durable together with that of meta.json.
    const metrics = metricsRecord(attempt, trialPath);
    await writeJsonAtomic(join(attemptDir, 'metrics.json'), metrics, { sync: 'content' });
    crashPoint('close:metrics-written');
  }
  const meta = `${JSON.stringify(metaRecord(attempt), null, 2)}\n`;
  return createFileAtomic(join(attemptDir, 'meta.json'), meta);
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
