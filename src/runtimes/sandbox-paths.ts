import { posix } from 'node:path';
import type { SandboxPaths } from './runtime.js';

/** The folders below a sandbox root, on the host or inside. */
export function sandboxPaths(root: string): SandboxPaths {
  const below = (name: string): string => posix.join(root, name);
  return {
    root,
    home: below('home'),
    checkout: below('checkout'),
    grade: below('grade'),
    out: below('out'),
    inputs: below('inputs'),
    tmp: below('tmp'),
  };
}
