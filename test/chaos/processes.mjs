// Every process that belongs to one lab, found without asking llmx: by /proc alone.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * @param {string[]} trialHashes name what runs in containers, where no folder of this machine is known
 * @returns {{pid: number, role: 'server'|'worker'|'supervisor'|'client'|'monitor'|'program'|'agent'|'other',
 *   command: string}[]} `client`: of an engine, holds a container; `monitor`: the engine's own
 */
export function labProcesses(root, trialHashes = []) {
  const marks = [root, ...trialHashes];
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      if (command === '') continue; // a zombie
      const texts = [command, environment, cwd];
      if (!marks.some((mark) => texts.some((text) => text.includes(mark)))) continue;
      found.push({ pid: Number(name), role: roleOf(command), command });
    } catch {
      // Ended while it was looked at.
    }
  }
  return found;
}

function roleOf(command) {
  if (/ server start-dev /.test(command)) return 'server';
  if (/worker\/main\.js/.test(command)) return 'worker';
  if (/supervisor\.[cm]js/.test(command)) return 'supervisor';
  if (/^\S*conmon /.test(command)) return 'monitor';
  if (/^\S*(podman|docker) .*\brun\b/.test(command)) return 'client';
  if (/program\.mjs/.test(command)) return 'program';
  if (/agent\.sh|agent-program/.test(command)) return 'agent';
  return 'other';
}

export function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false; // gone already
  }
}
