import { listAt, objectAt, objectsAt, textAt, type JsonObject } from '../../domain/json-value.js';
import type { StartFacts } from '../../domain/trial/hermeticity.js';

/** What claude's `system/init` event says about where the run came from. */
export function claudeStart(init: JsonObject): StartFacts {
  const paths = Object.entries(objectAt(init, 'memory_paths') ?? {});
  return {
    cliVersion: textAt(init, 'claude_code_version'),
    mcpServers: objectsAt(init, 'mcp_servers').map((server) => ({
      name: textAt(server, 'name') ?? '?',
      status: textAt(server, 'status') ?? 'unknown',
    })),
    memoryPaths: Object.fromEntries(
      paths.flatMap(([name, path]) => (typeof path === 'string' ? [[name, path]] : [])),
    ),
    userConfig: userConfigOf(init),
  };
}

function userConfigOf(init: JsonObject): readonly string[] {
  const plugins = objectsAt(init, 'plugins')
    .filter((plugin) => textAt(plugin, 'path') !== 'builtin')
    .map((plugin) => `plugin ${textAt(plugin, 'name') ?? '?'}`);
  const style = textAt(init, 'output_style') ?? 'default';
  return style === 'default' ? plugins : [...plugins, `output style ${style}`];
}

export function toolCount(init: JsonObject): number {
  return listAt(init, 'tools').length;
}
