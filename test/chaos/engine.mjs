// A container engine as the suite sees it: without llmx, and only what belongs to one state folder.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';

const CALL_TIMEOUT_MS = 60_000;
const STATE_LABEL = 'dev.llmx.state';

/**
 * @param {'podman' | 'docker'} kind
 * @throws {Error} that says what to install when there is none
 */
export async function openEngine(kind, stateDir) {
  const ask = (...argv) => call(kind, argv);
  await ask('version', '--format', '{{.Client.Version}}').catch((error) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `there is no ${kind}: sudo apt-get install podman runc`
        : `${kind} does not answer: ${error.message}`,
    );
  });
  const before = await lasting(ask);
  const ours = () => ['--filter', `label=${STATE_LABEL}=${stateIdOf(stateDir)}`];
  const containers = (...flags) => lines(ask('ps', ...flags, ...ours(), '--format', '{{.Names}}'));
  return {
    /** Kills what runs, as a person would. @returns {Promise<string>} what was killed */
    killContainers: async () => {
      const running = await containers().catch(() => []); // no state folder yet
      // It may have ended by itself meanwhile.
      await Promise.all(running.map((name) => ask('kill', name).catch(() => null)));
      return running.join(', ') || 'nobody there';
    },
    /** @returns {Promise<string[]>} what is there now and should not be */
    leftovers: async () => {
      const left = await containers('--all');
      const after = await lasting(ask);
      return [
        ...left.map((name) => `left over: container ${name}`),
        ...after
          .filter((name) => !before.includes(name))
          .map((name) => `left over: ${name} of ${kind}`),
      ];
    },
    removeImages: async (reference) => {
      const name = reference.split(':')[0];
      const all = await lines(ask('images', '--format', '{{.Repository}}:{{.Tag}}'));
      const own = all.filter((image) => image.replace(/^localhost\//, '').startsWith(`${name}:`));
      for (const image of own) await ask('rmi', image).catch(() => null); // another run may use it
    },
  };
}

/** What no container takes along when it goes: llmx makes none of it. */
async function lasting(ask) {
  const networks = await lines(ask('network', 'ls', '--format', '{{.Name}}'));
  const volumes = await lines(ask('volume', 'ls', '--format', '{{.Name}}'));
  return [...networks.map((name) => `network ${name}`), ...volumes.map((name) => `volume ${name}`)];
}

function stateIdOf(stateDir) {
  return createHash('sha256').update(realpathSync(stateDir)).digest('hex').slice(0, 12);
}

async function lines(answer) {
  return (await answer).split('\n').filter((line) => line !== '');
}

function call(kind, argv) {
  return new Promise((resolve, reject) => {
    const options = { timeout: CALL_TIMEOUT_MS, killSignal: 'SIGKILL' };
    execFile(kind, argv, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
