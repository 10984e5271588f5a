/** Page of one workflow in the Web UI; without a run id the latest run. */
export function uiLink(
  uiUrl: string,
  namespace: string,
  workflowId: string,
  runId?: string,
): string {
  const parts = ['namespaces', namespace, 'workflows', workflowId];
  if (runId !== undefined) parts.push(runId, 'history');
  return `${uiUrl.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
