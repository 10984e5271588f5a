/** What an engine's client needs of this user's environment to find its engine; nothing that llmx sets. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'TMPDIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINER_APP_ROOT',
  'CONTAINER_DEFAULT_PLATFORM',
  'CONTAINER_INSTALL_ROOT',
  'CONTAINER_LOG_ROOT',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'DOCKER_HOST',
] as const;

export function clientEnv(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
