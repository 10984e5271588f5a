import type { Check, CheckStatus } from '../../domain/preflight/check.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { findBuilder } from '../../runtimes/containers/apple/builder.js';
import { RESTART } from '../../runtimes/containers/apple/call.js';
import {
  describeEnvelope,
  meets,
  wantedEnvelope,
} from '../../runtimes/containers/apple/envelope.js';
import { findCli, findSystem } from '../../runtimes/containers/apple/system.js';
import { tooOld, type AppleVersion } from '../../runtimes/containers/apple/version.js';
import { chooseRuntime } from '../../runtimes/registry.js';
import type { CheckSubject } from '../context.js';

/**
 * Apple's CLI, its apiserver and its image builder, where trials will run on it. Nothing is started
 * to find out. Without the CLI the rest can't be answered, and is left out.
 */
export async function appleChecks(subject: CheckSubject): Promise<readonly Check[]> {
  if ((await chooseRuntime(subject.experiment)) !== 'apple') return [];
  const { version, check } = await cliCheck();
  if (version === null) return [check];
  const apiserver = await apiserverCheck(version);
  return [check, apiserver, await builderCheck(apiserver.status)];
}

async function cliCheck(): Promise<{ version: AppleVersion | null; check: Check }> {
  const base = { code: 'apple-cli', name: 'container CLI' } as const;
  const cli = await findCli();
  if (!cli.ok) {
    const check = { ...base, status: 'fail', detail: cli.reason, hint: cli.hint } as const;
    return { version: null, check };
  }
  const old = tooOld(cli.version);
  return {
    version: cli.version,
    check:
      old === null
        ? { ...base, status: 'ok', detail: cli.text, hint: null }
        : { ...base, status: 'fail', ...old },
  };
}

async function apiserverCheck(cli: AppleVersion): Promise<Check> {
  const base = { code: 'apple-apiserver', name: 'apiserver' } as const;
  const system = await findSystem(cli);
  if (!system.ok) return { ...base, status: 'fail', detail: system.reason, hint: system.hint };
  const { version } = system;
  return version === null || version.join('.') === cli.join('.')
    ? { ...base, status: 'ok', detail: 'running', hint: null }
    : {
        ...base,
        status: 'warn',
        detail: `running, but still as ${version.join('.')}: the CLI is ${cli.join('.')}`,
        hint: RESTART,
      };
}

/** Only a warning: the next build sees to it. */
async function builderCheck(apiserver: CheckStatus): Promise<Check> {
  const base = { code: 'apple-builder', name: 'builder', status: 'warn' } as const;
  if (apiserver === 'fail') {
    return { ...base, detail: 'not known without the apiserver', hint: 'container system start' };
  }
  try {
    const wanted = wantedEnvelope();
    const found = await findBuilder();
    if (found?.state !== 'running') {
      return { ...base, detail: 'not running', hint: 'started by itself on the first build' };
    }
    const has = describeEnvelope(found);
    return meets(found, wanted)
      ? { ...base, status: 'ok', detail: `running with ${has}`, hint: null }
      : {
          ...base,
          detail: `running with only ${has}; a build may die in it without a message`,
          hint: `the next build starts it anew with ${describeEnvelope(wanted)}`,
        };
  } catch (error) {
    // A builder that hangs, or a variable that is no size.
    if (!(error instanceof LlmxError)) throw error;
    return { ...base, detail: error.message, hint: error.hint };
  }
}
