/** Everything the worker's workflow bundle exports. */
export { gridWorkflow } from './grid.js';
export { preflightWorkflow } from './preflight.js';
