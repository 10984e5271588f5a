import type { Escapees, ProgramSpec } from '../../domain/trial/program-contract.js';
import { endAllOthers } from './in-container.js';
import { endGroup } from '../../runtimes/control-groups/group.js';
import { endMarked } from '../../runtimes/marked-processes.js';

/**
 * Ends everything of the trial but this program, with KILL: also servers that the set-up left running,
 * which the agent may have got hold of. Grading prepares the database anew.
 * @returns null when nobody said how to find them
 */
export async function endEscapees(spec: ProgramSpec, isGrouped: boolean): Promise<Escapees | null> {
  if (spec.container !== undefined) return endAllOthers();
  if (spec.containment === undefined) return null;
  const { groups, ...marker } = spec.containment;
  const { agent, program } = (isGrouped ? groups : null) ?? { agent: [], program: [] };
  const own = await endGroup(agent);
  const others = await endMarked({ ...marker, groups: program }, 0);
  return {
    killed: own.found + others.found,
    alive: own.alive + others.alive,
    proof: others.proof,
  };
}
