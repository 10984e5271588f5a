// Where an agent in a container says that it starts and ends: it reaches no file of this machine.
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';

const LOOK_MS = 50;

/**
 * Lines `S <trial> <time>` and `E …` go into the file; every line is answered, `H` only when there is no
 * file `hold`.
 * @returns {Promise<{port: number, close: () => void}>}
 */
export async function openLedger({ ledgerFile, holdFile }) {
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('error', () => undefined); // its container was killed
    socket.on('data', (chunk) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) take(line, () => socket.write('ok\n'));
    });
    socket.unref();
  });
  const take = (line, answer) => {
    if (line.startsWith('H')) {
      if (existsSync(holdFile)) setTimeout(() => take(line, answer), LOOK_MS).unref();
      else answer();
      return;
    }
    appendFileSync(ledgerFile, `${line}\n`);
    answer();
  };
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { port: server.address().port, close: () => server.close() };
}

/** The agent of a container: its bash can open a connection by itself. */
export function containedAgent(port) {
  return `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port} || exit 9
say() { echo "$1 $LLMX_TRIAL $(date +%s%N)" >&3 && read -r answer <&3; }
say S || exit 9
read -r wanted seconds
[ "$wanted" = fix ] && echo right > answer.txt
sleep "$seconds"
say H || exit 9
say E
`;
}
