/** No update, no telemetry, nothing but the model's own traffic, in any of the three CLIs. Environment of everything in an image. */
export const QUIET_AGENTS = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  // codex has no switch of its own; it honours the general ones.
  DO_NOT_TRACK: '1',
  OTEL_SDK_DISABLED: 'true',
} as const;
