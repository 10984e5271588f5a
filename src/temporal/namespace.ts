import type { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { pollUntil } from '../support/poll.js';
import { LLMX_SEARCH_ATTRIBUTES } from './search-attributes.js';
import { grpcCode } from './service-errors.js';

const RETENTION_MS = 90 * 24 * 60 * 60 * 1_000;
const CALL_TIMEOUT_MS = 10_000;
/** A server may take its time until every part of it knows a new search attribute. */
const USABLE_TIMEOUT_MS = 20_000;

/**
 * Keeps closed histories for 90 days: a development server does so for one day only, and says nothing.
 * Only for the embedded server: on another one its owner decides.
 */
export async function keepHistories(connection: Connection, namespace: string): Promise<void> {
  const service = connection.workflowService;
  const wanted = msToTs(RETENTION_MS);
  const { config } = await call(connection, () => service.describeNamespace({ namespace }));
  const current = config?.workflowExecutionRetentionTtl?.seconds;
  if (Number(current ?? 0) === Number(wanted.seconds)) return;
  await call(connection, () =>
    service.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: wanted } }),
  );
}

/**
 * Registers llmx's search attributes and waits until they can be used: a workflow that sets an unknown
 * one is retried for ever.
 * @returns false where the server does not allow it or has one of another type
 */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<boolean> {
  try {
    const known = await knownAttributes(connection, namespace);
    const missing = LLMX_SEARCH_ATTRIBUTES.filter(({ name }) => known[name] === undefined);
    if (LLMX_SEARCH_ATTRIBUTES.some((key) => isOfOtherType(key, known[key.name]))) return false;
    if (missing.length > 0) await addAttributes(connection, namespace, missing);
    return await areUsable(connection, namespace);
  } catch (error) {
    if (REFUSALS.has(grpcCode(error) ?? 0)) return false;
    throw error;
  }
}

async function knownAttributes(
  connection: Connection,
  namespace: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { customAttributes } = await call(connection, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  return customAttributes ?? {};
}

function isOfOtherType(key: (typeof LLMX_SEARCH_ATTRIBUTES)[number], known: unknown): boolean {
  return known !== undefined && known !== encodeSearchAttributeIndexedValueType(key.type);
}

async function addAttributes(
  connection: Connection,
  namespace: string,
  missing: typeof LLMX_SEARCH_ATTRIBUTES,
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type) ?? 0]),
  );
  try {
    await call(connection, () =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch (error) {
    if (grpcCode(error) !== ALREADY_EXISTS) throw error; // another host was faster
  }
}

/** A query that names them all is refused until the server knows each of them with its type. */
async function areUsable(connection: Connection, namespace: string): Promise<boolean> {
  const query = LLMX_SEARCH_ATTRIBUTES.map(({ name, type }) =>
    type === 'INT' ? `${name} = 1` : `${name} = 'x'`,
  ).join(' AND ');
  const usable = await pollUntil(
    async () => {
      try {
        await call(connection, () =>
          connection.workflowService.countWorkflowExecutions({ namespace, query }),
        );
        return true;
      } catch (error) {
        if (grpcCode(error) === INVALID_ARGUMENT) return null;
        throw error;
      }
    },
    { timeoutMs: USABLE_TIMEOUT_MS, intervalMs: 100 },
  );
  return usable ?? false;
}

function call<T>(connection: Connection, request: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, request);
}

const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
/** Invalid argument, permission denied, quota, precondition, unimplemented, unauthenticated. */
const REFUSALS = new Set([INVALID_ARGUMENT, 7, 8, 9, 12, 16]);
