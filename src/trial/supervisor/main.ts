import { trialFiles } from '../trial-files.js';
import { StopSwitch, listenForSignals } from './stop-signals.js';
import { supervise } from './supervise.js';

/**
 * Entry of the detached supervisor: `node supervisor.cjs <trial folder>`. Bundled into one file that
 * starts fast: as CommonJS, which Node runs 6 ms sooner than an ES module. Its exit code says nothing:
 * the attempt's record does.
 */
const [, , trialDir] = process.argv;
if (trialDir === undefined) {
  console.error('usage: node supervisor.cjs <trial folder>');
  process.exit(2);
}
// First of all: whoever reads the owner record may send a signal.
const stop = new StopSwitch();
listenForSignals(stop, trialFiles(trialDir).stop);
void supervise(trialDir, stop).then(() => process.exit(0));
