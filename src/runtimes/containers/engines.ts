import type { RuntimeKind } from '../../domain/experiment/experiment.js';
import { appleEngine } from './apple/apple-engine.js';
import type { ContainerEngine, EngineKind } from './engine.js';
import { ociEngine } from './oci-engine.js';

const ENGINES: Readonly<Record<EngineKind, ContainerEngine>> = {
  apple: appleEngine(),
  docker: ociEngine('docker'),
  podman: ociEngine('podman'),
};

export function engineOf(kind: EngineKind): ContainerEngine {
  return ENGINES[kind];
}

export function isEngineKind(kind: RuntimeKind): kind is EngineKind {
  return Object.hasOwn(ENGINES, kind);
}
