// A whole grid through the embedded server, read back from its history.
import { Client, Connection } from '@temporalio/client';

/** Runs every pending cell; nothing watches the grid while it runs. */
export async function runGrid(lab) {
  const { workflowId } = await lab.cli('start-grid', '--json');
  const { address } = await lab.cli('server', 'status', '--json');
  const connection = await Connection.connect({ address });
  try {
    const handle = new Client({ connection }).workflow.getHandle(workflowId);
    const result = await handle.result();
    if (!result.ok) throw new Error(JSON.stringify(result));
    const { events } = await handle.fetchHistory();
    return { plan: planOf(events), cells: cellsOf(events), timeline: events.map(brief) };
  } finally {
    await connection.close();
  }
}

function planOf(events) {
  const { input } = events[0].workflowExecutionStartedEventAttributes;
  return JSON.parse(Buffer.from(input.payloads[0].data).toString('utf8')).plan;
}

/**
 * Milliseconds of each cell, in order. `gap` is from the cell's first activity to the next cell's (null for
 * the last); the others are its parts:
 * `<activity>.queue` scheduled to started, `.run` started to completed, `.wake` completed to the workflow
 * task that sees it, `.decide` that task.
 */
function cellsOf(events) {
  const cells = [];
  const activities = activitiesOf(events);
  for (const activity of activities) {
    if (activity.type === 'ensureDisk') cells.push({ start: activity.scheduled, parts: {} });
    const cell = cells.at(-1);
    if (cell === undefined || !['ensureDisk', 'runTrial'].includes(activity.type)) continue;
    const { type, scheduled, started, completed, taskStarted, taskCompleted } = activity;
    cell.parts[`${type}.queue`] = started - scheduled;
    cell.parts[`${type}.run`] = completed - started;
    cell.parts[`${type}.wake`] = taskStarted - completed;
    cell.parts[`${type}.decide`] = taskCompleted - taskStarted;
    cell.end = taskCompleted;
  }
  return cells.map(({ start, parts }, at) => ({
    gap: cells[at + 1] === undefined ? null : cells[at + 1].start - start,
    parts,
  }));
}

function activitiesOf(events) {
  const byId = new Map();
  let waiting = [];
  for (const event of events) {
    const at = timeOf(event);
    const scheduled = event.activityTaskScheduledEventAttributes;
    const started = event.activityTaskStartedEventAttributes;
    const completed = event.activityTaskCompletedEventAttributes;
    if (scheduled) {
      byId.set(Number(event.eventId), { type: scheduled.activityType.name, scheduled: at });
    } else if (started) {
      byId.get(Number(started.scheduledEventId)).started = at;
    } else if (completed) {
      const activity = byId.get(Number(completed.scheduledEventId));
      activity.completed = at;
      waiting.push(activity);
    } else if (event.workflowTaskStartedEventAttributes) {
      for (const activity of waiting) activity.taskStarted = at;
    } else if (event.workflowTaskCompletedEventAttributes) {
      for (const activity of waiting) activity.taskCompleted = at;
      waiting = [];
    }
  }
  return [...byId.values()];
}

function brief(event) {
  const name = Object.keys(event).find((key) => key.endsWith('Attributes') && event[key]);
  return {
    at: timeOf(event),
    id: Number(event.eventId),
    name: name?.replace(/EventAttributes$/, ''),
  };
}

function timeOf({ eventTime }) {
  return Number(eventTime.seconds) * 1000 + eventTime.nanos / 1e6;
}
