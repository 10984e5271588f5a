import { StopSwitch, listenForSignals } from './stop-signals.js';
import { supervise } from './supervise.js';

/**
 * Entry of the detached supervisor: `node supervisor.mjs <trial folder>`. Bundled into one file that
 * starts fast. Its exit code says nothing: the attempt's record does.
 */
const [, , trialDir] = process.argv;
if (trialDir === undefined) {
  console.error('usage: node supervisor.mjs <trial folder>');
  process.exit(2);
}
// First of all: whoever reads the owner record may send a signal.
const stop = new StopSwitch();
listenForSignals(stop);
await supervise(trialDir, stop);
process.exit(0);
