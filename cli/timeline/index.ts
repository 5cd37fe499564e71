export {
  timelineArguments,
  timelineHelp,
  timelineSummary,
  WrongArguments,
  type TimelineArguments,
} from './arguments.js';
export { states, type Item, type Source, type State, type TimelineData } from './data.js';
export { operationItems, type Rows } from './operations.js';
export { page } from './page.js';
export {
  gathered,
  timeline,
  TimelineExists,
  timelineSaid,
  type OpenRows,
  type TimelineOptions,
  type TimelineWritten,
} from './timeline.js';
export { collectTurns, readTurns, type TurnLine, type Turns } from './turns.js';
