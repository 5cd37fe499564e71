// Where the command writes: no faster than is read, and quietly over once nobody reads any more.
import process from 'node:process';
import { columnsOf } from './fit.js';
import { paintIf, wantsColour, type Paint } from './style.js';

export class Output {
  readonly paint: Paint;
  readonly room: number;
  readonly isTerminal: boolean;

  constructor() {
    this.paint = paintIf(wantsColour(process.stdout, process.env));
    this.room = columnsOf(process.stdout, process.env);
    this.isTerminal = process.stdout.isTTY === true;
    // `tenure … | head`: whoever read has what they wanted.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      process.stderr.write(`tenure: ${error.message}\n`);
      process.exit(1);
    });
  }

  text(text: string): Promise<void> {
    return new Promise((written) => {
      if (process.stdout.write(text)) written();
      else process.stdout.once('drain', () => written());
    });
  }

  lines(lines: readonly string[]): Promise<void> {
    return lines.length === 0 ? Promise.resolve() : this.text(`${lines.join('\n')}\n`);
  }

  line(line: string): Promise<void> {
    return this.text(`${line}\n`);
  }
}

/** For people, beside the answer. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`);
