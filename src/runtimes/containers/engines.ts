import type { RuntimeKind } from '../../domain/experiment/experiment.js';
import type { ContainerEngine, EngineKind } from './engine.js';
import { ociEngine } from './oci-engine.js';

const ENGINES: Readonly<Record<Exclude<EngineKind, 'apple'>, ContainerEngine>> = {
  docker: ociEngine('docker'),
  podman: ociEngine('podman'),
};

export function engineOf(kind: Exclude<EngineKind, 'apple'>): ContainerEngine {
  return ENGINES[kind];
}

export function isEngineKind(kind: RuntimeKind): kind is keyof typeof ENGINES {
  return Object.hasOwn(ENGINES, kind);
}
