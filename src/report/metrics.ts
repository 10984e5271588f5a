/** The metrics a reader looks for first, and how their values are written. */

const FIRST_METRICS = [
  'total_input_tokens',
  'total_tool_calls',
  'search_calls',
  'distinct_files_read',
  'output_tokens',
  'read_calls',
  'tool_calls_to_first_target_read',
  'searches_before_first_target',
  'wall_seconds',
  'total_cost_usd',
];

/** The metrics that arms are compared by; `primary` ones that are not among them come last. */
export function comparedMetrics(primary: readonly string[]): readonly string[] {
  return [...new Set([...FIRST_METRICS, ...primary])];
}

/** Place in a list of metrics; all that are not {@link isShown} share the last one. */
export function metricRank(metric: string): number {
  const index = FIRST_METRICS.indexOf(metric);
  return index < 0 ? FIRST_METRICS.length : index;
}

/** Whether the tables show a metric; the JSON has every one. */
export function isShown(metric: string, primary: readonly string[]): boolean {
  return primary.includes(metric) || FIRST_METRICS.includes(metric);
}

/** Tokens as integers with commas, money with 4 decimals, the rest with one; below 1 three digits. */
export function formatMetric(metric: string, value: number): string {
  if (metric.endsWith('_usd')) return value.toFixed(4);
  if (metric.endsWith('_tokens')) return Math.round(value).toLocaleString('en-US');
  return String(Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Number(value.toFixed(1)));
}

/** `75%`, `66.7%`: a share is never rounded up to all or down to nothing. */
export function formatShare(share: number | null): string {
  if (share === null) return '-';
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  if (percent < 100 && percent > 99.9) return '>99.9%';
  return `${Number(percent.toFixed(1))}%`;
}
