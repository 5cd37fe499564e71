#!/usr/bin/env node
// Built from cli/ by `npm run build`. Change it there.
'use strict';

const process = require('node:process');
const node_util = require('node:util');
const node_fs = require('node:fs');
const index_js = require('../index.js');
const promises = require('node:fs/promises');
const index_js$1 = require('../index.js');
const promises$1 = require('node:timers/promises');

// Text of others on a terminal: what would move the cursor, ring or hide is written as an escape.
// Control characters, line and paragraph separators, what turns the direction of text, what cannot be seen.
const UNSAFE =
  /[\p{Cc}\p{Cs}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const SHORT = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** One line that says what it says. */
const safe = (text) => text.replace(UNSAFE, (found) => SHORT[found] ?? escape(found));
/** Lines that say what they say: as `safe`, but line feeds and tabs stay. */
const safeLines = (text) =>
  text.replace(UNSAFE, (found) => (found === '\n' || found === '\t' ? found : escape(found)));
/** The same JSON, without a character that a terminal would obey. */
const safeJson = (text) =>
  text.replace(UNSAFE, (found) => (found === '\n' ? found : escape(found)));
/** A value as one line of JSON. */
const json = (value) => safeJson(JSON.stringify(value));

// What the command ends with, and how an error is said.
/** Exit codes; part of the interface, see docs/cli.md. */
const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  locked: 3,
  damaged: 4,
  unknown: 5,
  interrupted: 130,
};
/** The command was called in a way that it does not understand. */
class UsageError extends Error {
  name = 'UsageError';
}
/** Ctrl-C. */
class Interrupted extends Error {
  name = 'Interrupted';
}
const CODES = {
  ERR_JOURNAL_LOCKED: EXIT.locked,
  ERR_JOURNAL_CORRUPT: EXIT.damaged,
  ERR_JOURNAL_VERSION: EXIT.damaged,
  ERR_OPERATION_UNKNOWN: EXIT.unknown,
};
const isMissing = (code, cause) =>
  code === 'ENOENT' || (code === 'ERR_JOURNAL_IO' && cause?.code === 'ENOENT');
function exitOf(error) {
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  const { code, cause } = error;
  if (isMissing(code, cause)) return EXIT.unknown;
  return CODES[code ?? ''] ?? EXIT.failed;
}
/** What the person is told, in the words of the command. */
function words(error) {
  const { code, path, cause, pid, message } = error;
  if (code === 'ERR_JOURNAL_LOCKED') {
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    return `${path} is open in ${who}. One process owns a journal: ask it, or wait until it has ended.`;
  }
  if (isMissing(code, cause)) return `There is no file ${path}.`;
  if (code === 'ERR_BACKUP_EXISTS') return `Something is at ${path}, and nothing is written over.`;
  const where = path !== undefined && code?.startsWith('ERR_JOURNAL_') ? `${path}: ` : '';
  const why =
    cause?.message === undefined || message.includes(cause.message) ? '' : `: ${cause.message}`;
  return `${where}${message}${why}`;
}
/** The line for stderr. */
function spoken(error, asJson) {
  const given = error;
  if (asJson) {
    const { code = given.name, path, pid, scope, operationId } = given;
    const message = words(given);
    return json({
      error: { code, message, path, pid, scope, operationId, exitCode: exitOf(error) },
    });
  }
  const code = given.code === undefined ? '' : ` (${given.code})`;
  const told = error instanceof UsageError ? safeLines(given.message) : safe(words(given));
  return `tenure: ${told}${code}`;
}

// Ctrl-C. A command that asks for the signal ends by itself; a second Ctrl-C ends any at once.
const controller = new AbortController();
let isLookedAt = false;
/** From now on Ctrl-C ends the command with its exit code. */
function listen() {
  process.on('SIGINT', () => {
    if (!isLookedAt || controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  });
}
/** The signal of this process; asking for it is a promise to look at it. */
function interruptedOnce() {
  isLookedAt = true;
  return controller.signal;
}

// One command: what it takes, how it is explained, and how a call of it is read.
const JOURNAL = {
  value: 'PATH',
  short: 'j',
  help: 'the file of the journal; else TENURE_JOURNAL',
};
const JSON_OUT = { help: 'print JSON, for programs' };
const HELP = { short: 'h', help: 'print this' };
const all = (command) => ({ ...command.options, help: HELP });
/** Reads the words of a call; `UsageError` for what the command does not take. */
function read(command, argv) {
  const options = Object.fromEntries(
    Object.entries(all(command)).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? 'boolean' : 'string',
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  let parsed;
  try {
    parsed = node_util.parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
  const values = parsed.values;
  const { positionals } = parsed;
  if (values['help'] === true) return { values, positionals };
  const wanted = command.positionals ?? [];
  const missing = wanted[positionals.length];
  if (missing !== undefined && !missing.startsWith('['))
    throw new UsageError(`${missing} is missing.`);
  if (positionals.length > wanted.length)
    throw new UsageError(`Unexpected argument '${positionals[wanted.length]}'.`);
  return { values, positionals };
}
const optionText = ([name, { value, short }]) =>
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
/** The page that `--help` prints. */
function help(command) {
  const options = Object.entries(all(command));
  const width = Math.max(...options.map((option) => optionText(option).length));
  const words = ['tenure', command.name, ...(command.positionals ?? []), '[options]'];
  return [
    `${words.join(' ')}`,
    '',
    command.about.trim(),
    '',
    'Options:',
    ...options.map((option) => `  ${optionText(option).padEnd(width)}  ${option[1].help}`),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    '',
    'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 open in another process,',
    '4 damaged or no journal, 5 no such operation or file, 130 interrupted.',
    '',
  ].join('\n');
}
/** A text that an option was given; undefined if it was not. */
function textOf(values, name) {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}
/** A whole number that an option was given. */
function countOf(values, name) {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`--${name} takes a whole number, not '${text}'.`);
  return Number(text);
}
/** A time: a date as ISO 8601 has it, or how long ago, as `90m`, `12h` or `30d`. */
function timeOf(text, name, now) {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  const units = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
  const time = ago ? now - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0) : NaN;
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  const found = Number.isNaN(time) ? date : time;
  if (Number.isNaN(found))
    throw new UsageError(
      `--${name} takes a date (2026-01-31) or an age (30d, 12h, 90m), not '${text}'.`,
    );
  return Math.max(0, found);
}

// Journals and logs as the commands open them.
/** The bounds are the owner's. These refuse nothing and, above all, prune nothing. */
const BOUNDS = {
  maxQueued: 1_000_000,
  maxReservations: 10_000_000,
  retain: 1_000_000,
  inputBytes: 16_777_216,
  inputEchoBytes: 16_777_216,
  resultBytes: 16_777_216,
  referenceBytes: 4_096,
  pageSize: 1_000,
};
function journalPath(values) {
  const path = textOf(values, 'journal') ?? process.env['TENURE_JOURNAL'] ?? '';
  if (path === '')
    throw new UsageError('Which journal? Give --journal PATH, or set TENURE_JOURNAL.');
  return path;
}
/** A command opens what is there; it never makes a journal of a name that was mistyped. */
function present(path) {
  if (node_fs.existsSync(path)) return path;
  throw Object.assign(new Error('no such file'), { code: 'ENOENT', path });
}
async function using(values, readOnly, work) {
  const path = present(journalPath(values));
  const journal = await index_js.OperationJournal.open(path, { bounds: BOUNDS, readOnly });
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}
/** Works on a journal that is only read: the file stays as it is. */
const reading = (values, work) => using(values, true, work);
/** Works on a journal that this process owns meanwhile: what was running is interrupted by that. */
const writing = (values, work) => using(values, false, work);
async function usingLogs(values, work) {
  const directory = textOf(values, 'logs') ?? process.env['TENURE_LOGS'] ?? '';
  if (directory === '')
    throw new UsageError('Where are the logs? Give --logs DIRECTORY, or set TENURE_LOGS.');
  const logs = await index_js.OperationLogs.open(present(directory));
  try {
    return await work(logs);
  } finally {
    await logs.close();
  }
}
/** The scopes that are meant: the one that was asked for, or all that have rows, sorted. */
function scopesOf(journal, values) {
  const scope = textOf(values, 'scope');
  if (scope !== undefined) return [scope];
  return journal
    .stats()
    .scopes.map((each) => each.scope)
    .sort();
}
/** The operation of an id: in the scope that was asked for, or in the only one that has it. */
function find(journal, id, values) {
  const found = scopesOf(journal, values).flatMap((scope) => {
    const status = journal.status(id, scope);
    return status === null ? [] : [{ scope, status }];
  });
  const [first, ...others] = found;
  if (first === undefined) {
    const where = textOf(values, 'scope');
    const scope = where === undefined ? 'any scope' : `scope '${where}'`;
    throw Object.assign(new Error(`There is no operation '${id}' in the history of ${scope}.`), {
      code: 'ERR_OPERATION_UNKNOWN',
      operationId: id,
      ...(where === undefined ? {} : { scope: where }),
    });
  }
  if (others.length > 0) {
    const scopes = found.map(({ scope }) => `'${safe(scope)}'`).join(', ');
    throw new UsageError(
      `Several scopes have an operation '${safe(id)}': ${scopes}. Give --scope.`,
    );
  }
  return first;
}
/** Whether it waits in the journal's own queue. */
const waits = ({ state, submission }) => state === 'queued' && submission === 'pending';
const hasEnded = ({ state }) =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled';

/* MAIN */
const getCodePointsLength = (() => {
  const SURROGATE_PAIR_RE = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;
  return (input) => {
    let surrogatePairsNr = 0;
    SURROGATE_PAIR_RE.lastIndex = 0;
    while (SURROGATE_PAIR_RE.test(input)) {
      surrogatePairsNr += 1;
    }
    return input.length - surrogatePairsNr;
  };
})();
const isFullWidth = (x) => {
  return x === 0x3000 || (x >= 0xff01 && x <= 0xff60) || (x >= 0xffe0 && x <= 0xffe6);
};
const isWideNotCJKTNotEmoji = (x) => {
  return (
    x === 0x231b ||
    x === 0x2329 ||
    (x >= 0x2ff0 && x <= 0x2fff) ||
    (x >= 0x3001 && x <= 0x303e) ||
    (x >= 0x3099 && x <= 0x30ff) ||
    (x >= 0x3105 && x <= 0x312f) ||
    (x >= 0x3131 && x <= 0x318e) ||
    (x >= 0x3190 && x <= 0x31e3) ||
    (x >= 0x31ef && x <= 0x321e) ||
    (x >= 0x3220 && x <= 0x3247) ||
    (x >= 0x3250 && x <= 0x4dbf) ||
    (x >= 0xfe10 && x <= 0xfe19) ||
    (x >= 0xfe30 && x <= 0xfe52) ||
    (x >= 0xfe54 && x <= 0xfe66) ||
    (x >= 0xfe68 && x <= 0xfe6b) ||
    (x >= 0x1f200 && x <= 0x1f202) ||
    (x >= 0x1f210 && x <= 0x1f23b) ||
    (x >= 0x1f240 && x <= 0x1f248) ||
    (x >= 0x20000 && x <= 0x2fffd) ||
    (x >= 0x30000 && x <= 0x3fffd)
  );
};

/* IMPORT */
/* HELPERS */
const ANSI_RE =
  /[\u001b\u009b][[()#;?]*(?:[0-9]{1,4}(?:;[0-9]{0,4})*)?[0-9A-ORZcf-nqry=><]|\u001b\]8;[^;]*;.*?(?:\u0007|\u001b\u005c)/y;
const CONTROL_RE = /[\x00-\x08\x0A-\x1F\x7F-\x9F]{1,1000}/y;
const CJKT_WIDE_RE =
  /(?:(?![\uFF61-\uFF9F\uFF00-\uFFEF])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Tangut}]){1,1000}/uy;
const TAB_RE = /\t{1,1000}/y;
const EMOJI_RE =
  /[\u{1F1E6}-\u{1F1FF}]{2}|\u{1F3F4}[\u{E0061}-\u{E007A}]{2}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,3}\u{E007F}|(?:\p{Emoji}\uFE0F\u20E3?|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}?|\p{Emoji_Presentation})(?:\u200D(?:\p{Emoji_Modifier_Base}\p{Emoji_Modifier}?|\p{Emoji_Presentation}|\p{Emoji}\uFE0F\u20E3?))*/uy;
const LATIN_RE = /(?:[\x20-\x7E\xA0-\xFF](?!\uFE0F)){1,1000}/y;
const MODIFIER_RE = /\p{M}+/gu;
const NO_TRUNCATION = { limit: Infinity, ellipsis: '' };
/* MAIN */
const getStringTruncatedWidth = (input, truncationOptions = {}, widthOptions = {}) => {
  /* CONSTANTS */
  const LIMIT = truncationOptions.limit ?? Infinity;
  const ELLIPSIS = truncationOptions.ellipsis ?? '';
  const ELLIPSIS_WIDTH =
    truncationOptions?.ellipsisWidth ??
    (ELLIPSIS ? getStringTruncatedWidth(ELLIPSIS, NO_TRUNCATION, widthOptions).width : 0);
  const ANSI_WIDTH = 0;
  const CONTROL_WIDTH = widthOptions.controlWidth ?? 0;
  const TAB_WIDTH = widthOptions.tabWidth ?? 8;
  const EMOJI_WIDTH = widthOptions.emojiWidth ?? 2;
  const FULL_WIDTH_WIDTH = 2;
  const REGULAR_WIDTH = widthOptions.regularWidth ?? 1;
  const WIDE_WIDTH = widthOptions.wideWidth ?? FULL_WIDTH_WIDTH;
  const PARSE_BLOCKS = [
    [LATIN_RE, REGULAR_WIDTH],
    [ANSI_RE, ANSI_WIDTH],
    [CONTROL_RE, CONTROL_WIDTH],
    [TAB_RE, TAB_WIDTH],
    [EMOJI_RE, EMOJI_WIDTH],
    [CJKT_WIDE_RE, WIDE_WIDTH],
  ];
  /* STATE */
  let indexPrev = 0;
  let index = 0;
  let length = input.length;
  let lengthExtra = 0;
  let truncationEnabled = false;
  let truncationIndex = length;
  let truncationLimit = Math.max(0, LIMIT - ELLIPSIS_WIDTH);
  let unmatchedStart = 0;
  let unmatchedEnd = 0;
  let width = 0;
  let widthExtra = 0;
  /* PARSE LOOP */
  outer: while (true) {
    /* UNMATCHED */
    if (unmatchedEnd > unmatchedStart || (index >= length && index > indexPrev)) {
      const unmatched = input.slice(unmatchedStart, unmatchedEnd) || input.slice(indexPrev, index);
      lengthExtra = 0;
      for (const char of unmatched.replaceAll(MODIFIER_RE, '')) {
        const codePoint = char.codePointAt(0) || 0;
        if (isFullWidth(codePoint)) {
          widthExtra = FULL_WIDTH_WIDTH;
        } else if (isWideNotCJKTNotEmoji(codePoint)) {
          widthExtra = WIDE_WIDTH;
        } else {
          widthExtra = REGULAR_WIDTH;
        }
        if (width + widthExtra > truncationLimit) {
          truncationIndex = Math.min(
            truncationIndex,
            Math.max(unmatchedStart, indexPrev) + lengthExtra,
          );
        }
        if (width + widthExtra > LIMIT) {
          truncationEnabled = true;
          break outer;
        }
        lengthExtra += char.length;
        width += widthExtra;
      }
      unmatchedStart = unmatchedEnd = 0;
    }
    /* EXITING */
    if (index >= length) {
      break outer;
    }
    /* PARSE BLOCKS */
    for (let i = 0, l = PARSE_BLOCKS.length; i < l; i++) {
      const [BLOCK_RE, BLOCK_WIDTH] = PARSE_BLOCKS[i];
      BLOCK_RE.lastIndex = index;
      if (BLOCK_RE.test(input)) {
        lengthExtra =
          BLOCK_RE === CJKT_WIDE_RE
            ? getCodePointsLength(input.slice(index, BLOCK_RE.lastIndex))
            : BLOCK_RE === EMOJI_RE
              ? 1
              : BLOCK_RE.lastIndex - index;
        widthExtra = lengthExtra * BLOCK_WIDTH;
        if (width + widthExtra > truncationLimit) {
          truncationIndex = Math.min(
            truncationIndex,
            index + Math.floor((truncationLimit - width) / BLOCK_WIDTH),
          );
        }
        if (width + widthExtra > LIMIT) {
          truncationEnabled = true;
          break outer;
        }
        width += widthExtra;
        unmatchedStart = indexPrev;
        unmatchedEnd = index;
        index = indexPrev = BLOCK_RE.lastIndex;
        continue outer;
      }
    }
    /* UNMATCHED INDEX */
    index += 1;
  }
  /* RETURN */
  return {
    width: truncationEnabled ? truncationLimit : width,
    index: truncationEnabled ? truncationIndex : length,
    truncated: truncationEnabled,
    ellipsed: truncationEnabled && LIMIT >= ELLIPSIS_WIDTH,
  };
};

// Text in columns of a terminal, where one character may take none, one or two of them.
const DOTS = '…';
const widthOf = (text) => getStringTruncatedWidth(text).width;
/** At most so many columns; what is left out is marked. */
function fit(text, columns) {
  if (columns <= 0) return '';
  if (!Number.isFinite(columns)) return text;
  const { truncated, index } = getStringTruncatedWidth(text, { limit: columns, ellipsis: DOTS });
  return truncated ? `${text.slice(0, index)}${DOTS}` : text;
}
/** Exactly so many columns. */
function padded(text, columns, toTheRight = false) {
  const fitting = fit(text, columns);
  const space = ' '.repeat(Math.max(0, columns - widthOf(fitting)));
  return toTheRight ? space + fitting : fitting + space;
}
/** How many columns a table may take; as many as it wants where nobody looks at it. */
function columnsOf(stream, env) {
  const asked = Number(env['COLUMNS']);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : Infinity;
}

// How far long work has come, on a terminal that somebody looks at, and nowhere else.
const BAR = 24;
const EVERY_MS$1 = 100;
/** Work that is done sooner shows nothing. */
const PATIENCE_MS = 300;
/** One line that is written over and over, and gone in the end. */
class Progress {
  #label;
  #total;
  #screen;
  #now;
  #begin;
  #timer;
  #done = 0;
  #shown = 0;
  constructor(label, total, screen, now = () => Date.now()) {
    this.#label = label;
    this.#total = total;
    this.#screen = screen;
    this.#now = now;
    this.#begin = now();
    if (screen.isTTY === true) this.#timer = setInterval(() => this.#show(), EVERY_MS$1).unref();
  }
  /** So much of the total is done. */
  at(done) {
    this.#done = done;
    if (this.#screen.isTTY === true && this.#now() - this.#shown >= EVERY_MS$1) this.#show();
  }
  end() {
    clearInterval(this.#timer);
    if (this.#shown > 0) this.#screen.write('\r\u001b[2K');
    this.#shown = 0;
  }
  #show() {
    const now = this.#now();
    if (now - this.#begin < PATIENCE_MS) return;
    this.#shown = now;
    const line = fit(`${this.#label} ${this.#state(now)}`, (this.#screen.columns ?? 80) - 1);
    this.#screen.write(`\r\u001b[2K${line}`);
  }
  #state(now) {
    const seconds = `${Math.round((now - this.#begin) / 1_000)} s`;
    if (this.#total === undefined || this.#total === 0) return seconds;
    const part = Math.min(1, this.#done / this.#total);
    const full = Math.round(part * BAR);
    return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.floor(part * 100)} %, ${seconds}`;
  }
}

// Colours, where they are wanted.
/** As Node.js itself decides: FORCE_COLOR first, then NO_COLOR, then whether it is a terminal. */
function wantsColour(stream, env) {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: term } = env;
  if (forced !== undefined) return ['', '1', '2', '3', 'true'].includes(forced);
  if (none !== undefined && none !== '') return false;
  return stream.isTTY === true && term !== 'dumb';
}
/** Who paints, or leaves text as it is. It was decided before, so Node.js need not decide again. */
const paintIf = (wanted) =>
  wanted
    ? (style, text) => node_util.styleText(style, text, { validateStream: false })
    : (_, text) => text;
const STATES$3 = {
  queued: 'cyan',
  running: 'blue',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'gray',
  interrupted: 'yellow',
};
const styleOf = (state) => STATES$3[state] ?? 'white';

// A table that is never wider than the terminal: wide columns give way first, then the least needed go.
const GAP = 2;
const total = (widths) =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);
/** The widths that fit, or undefined if not even the least do. */
function shrunk(natural, least, room) {
  const widths = [...natural];
  let over = total(widths) - room;
  while (over > 0) {
    // The widest of those that may gives one column at a time, so that they end up alike.
    let widest = -1;
    for (const [at, width] of widths.entries()) {
      if (width <= (least[at] ?? width)) continue;
      if (widest < 0 || width > (widths[widest] ?? 0)) widest = at;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}
/** The lines of a table. Texts are safe already. */
function table(given, rows, room, paint) {
  let columns = [...given];
  const cells = new Map(given.map((column) => [column, rows.map((row) => column.text(row))]));
  const natural = (column) =>
    (cells.get(column) ?? []).reduce(
      (most, text) => Math.max(most, widthOf(text)),
      widthOf(column.title),
    );
  let widths;
  for (;;) {
    const wanted = columns.map(natural);
    const least = columns.map((column, at) => Math.min(column.least ?? Infinity, wanted[at] ?? 0));
    widths = Number.isFinite(room) ? shrunk(wanted, least, room) : wanted;
    if (widths !== undefined) break;
    const ranked = columns.filter(({ rank }) => rank !== undefined);
    if (ranked.length === 0) break;
    const next = ranked.reduce((low, each) => ((each.rank ?? 0) < (low.rank ?? 0) ? each : low));
    columns = columns.filter((column) => column !== next);
  }
  const of = widths ?? columns.map(natural);
  const line = (text, style) => {
    const parts = columns.map((column, at) => {
      const last = at === columns.length - 1 && column.toTheRight !== true;
      const width = of[at] ?? 0;
      return {
        text: last ? fit(text(column), width) : padded(text(column), width, column.toTheRight),
        style: style(column),
      };
    });
    // Where nothing fits the line is cut, before it is painted.
    if (widths === undefined)
      return fit(parts.map((part) => part.text).join(' '.repeat(GAP)), room);
    return parts
      .map((part) => (part.style === undefined ? part.text : paint(part.style, part.text)))
      .join(' '.repeat(GAP))
      .trimEnd();
  };
  return [
    line(
      (column) => column.title,
      () => 'bold',
    ),
    ...rows.map((row, at) =>
      line(
        (column) => cells.get(column)?.[at] ?? '',
        (column) => column.style?.(row),
      ),
    ),
  ];
}

// What tells of a journal as a whole: stats, verify.
const STATES$2 = ['queued', 'running', 'interrupted', 'succeeded', 'failed', 'cancelled'];
/** Bytes as a person reads them. */
function size(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
const COUNTS = [
  { title: 'SCOPE', text: ({ scope }) => (scope === '' ? "''" : safe(scope)), least: 6 },
  ...STATES$2.map((state, at) => ({
    title: state.toUpperCase(),
    text: (counts) => String(counts[state]),
    style: (counts) => (counts[state] === 0 ? 'gray' : styleOf(state)),
    toTheRight: true,
    rank: STATES$2.length - at,
  })),
];
const stats = (output) => ({
  name: 'journal stats',
  summary: 'count operations by scope and state, and tell the size of the file',
  about: `
Counts the operations of the history by scope and state, and the ids that the fence holds: those
of the history and those that left it. The file is only read. With --json it is one object: path,
fileBytes, fence.used and scopes, each with its counts.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'this scope only' },
    json: JSON_OUT,
  },
  examples: [['tenure journal stats -j jobs.journal', 'all scopes']],
  run: ({ values }) =>
    reading(values, async (journal) => {
      const path = journalPath(values);
      const { scopes, fence, fileBytes } = journal.stats();
      const only = textOf(values, 'scope');
      const shown = scopes
        .filter(({ scope }) => only === undefined || scope === only)
        .sort((a, b) => (a.scope < b.scope ? -1 : 1));
      const to = output();
      if (values['json'] === true) {
        await to.line(json({ path, fileBytes, fence: { used: fence.used }, scopes: shown }));
        return EXIT.done;
      }
      const rows = shown.reduce(
        (sum, counts) => sum + STATES$2.reduce((of, state) => of + counts[state], 0),
        0,
      );
      await to.lines([
        `${safe(path)}: ${size(fileBytes)}, ${rows} in the history, ${fence.used} ids on the fence`,
        ...(shown.length === 0 ? [] : ['', ...table(COUNTS, shown, to.room, to.paint)]),
      ]);
      return EXIT.done;
    }),
});
const verify = (output) => ({
  name: 'journal verify',
  summary: 'read every record, and tell what cannot be read',
  about: `
Reads everything and checks every checksum and that the parts fit together. The file is only read.
Whatever is named can no longer be read and is passed over by everything else; an id that it had
stays reserved. Problems are exit code 4, as is a file that is no journal at all. With --json it is
one object: path, ok and problems, each with scope, operationId (null where unknown) and message.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'tell problems of this scope only, and those of none' },
    json: JSON_OUT,
  },
  examples: [['tenure journal verify -j jobs.journal && echo sound', 'before a backup']],
  run: ({ values }) =>
    reading(values, async (journal) => {
      const progress = new Progress('verifying', undefined, process.stderr);
      const { problems: all } = await journal.verify().finally(() => progress.end());
      const only = textOf(values, 'scope');
      const problems = all.filter(
        ({ scope }) => only === undefined || scope === null || scope === only,
      );
      const [path, ok] = [journalPath(values), problems.length === 0];
      const to = output();
      if (values['json'] === true) await to.line(json({ path, ok, problems }));
      else {
        const lines = problems.map(({ scope, operationId, message }) => {
          const of = scope === null || scope === '' ? '' : ` of scope ${safe(scope)}`;
          const who = operationId === null ? '' : `${safe(operationId)}${of}: `;
          return to.paint('red', `${who}${safe(message)}`);
        });
        await to.lines(ok ? [`${safe(path)} is sound`] : lines);
      }
      return ok ? EXIT.done : EXIT.damaged;
    }),
});

// What writes files: compact, backup.
const compact = (output) => ({
  name: 'journal compact',
  summary: 'give unused space back',
  about: `
Writes the file anew without its gaps, and lets it take the place of the old one; a crash meanwhile
leaves one of the two, whole. It needs as much room again. The journal is opened for writing, which
another process must not do meanwhile: exit code 3. Opening it says of every operation that was
running that it is interrupted. With --json it is one object: path, before and after, in bytes.`,
  options: { journal: JOURNAL, json: JSON_OUT },
  examples: [['tenure journal compact -j jobs.journal', 'after a large forget']],
  run: ({ values }) =>
    writing(values, async (journal) => {
      const progress = new Progress('compacting', undefined, process.stderr);
      const { before, after } = await journal.compact().finally(() => progress.end());
      const [path, to] = [journalPath(values), output()];
      if (values['json'] === true) await to.line(json({ path, before, after }));
      else await to.line(`${safe(path)}: ${size(before)} before, ${size(after)} after`);
      return EXIT.done;
    }),
});
const backup = (output) => ({
  name: 'journal backup',
  summary: 'write a consistent copy of the file',
  about: `
Writes a copy that is a journal itself. The file is only read, and nothing is ever written over: a
path at which something is, is refused. Do not run the copy beside the original: both would submit
what is waiting. While the owner runs, it has to make the copy: journal.backup(path).
With --json it is one object: path (of the copy), from and bytes.`,
  positionals: ['COPY'],
  options: { journal: JOURNAL, json: JSON_OUT },
  examples: [['tenure journal backup jobs-monday.journal -j jobs.journal', 'a copy']],
  run: ({ values, positionals: [path = ''] }) =>
    reading(values, async (journal) => {
      const progress = new Progress('copying', undefined, process.stderr);
      await journal.backup(path).finally(() => progress.end());
      const { size: bytes } = node_fs.statSync(path);
      const to = output();
      if (values['json'] === true) await to.line(json({ path, from: journalPath(values), bytes }));
      else await to.line(`${safe(path)}: ${size(bytes)}`);
      return EXIT.done;
    }),
});

// Where the command writes: no faster than is read, and quietly over once nobody reads any more.
class Output {
  paint;
  room;
  isTerminal;
  constructor() {
    this.paint = paintIf(wantsColour(process.stdout, process.env));
    this.room = columnsOf(process.stdout, process.env);
    this.isTerminal = process.stdout.isTTY === true;
    // `tenure … | head`: whoever read has what they wanted.
    process.stdout.on('error', (error) => {
      if (error.code === 'EPIPE') process.exit(0);
      process.stderr.write(`tenure: ${error.message}\n`);
      process.exit(1);
    });
  }
  text(text) {
    return new Promise((written) => {
      if (process.stdout.write(text)) written();
      else process.stdout.once('drain', () => written());
    });
  }
  lines(lines) {
    return lines.length === 0 ? Promise.resolve() : this.text(`${lines.join('\n')}\n`);
  }
  line(line) {
    return this.text(`${line}\n`);
  }
}
/** For people, beside the answer. */
const note = (text) => void process.stderr.write(`${text}\n`);

// A journal as lines of JSON, out and in.
const STATES$1 = ['queued', 'running', 'interrupted', 'succeeded', 'failed', 'cancelled'];
const breaksIn = (text) => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};
const endOf = (text) => JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
async function exported(journal, { values, interrupted }, write) {
  const scope = textOf(values, 'scope');
  const { scopes, fence } = journal.stats();
  const of = scopes.filter((each) => scope === undefined || each.scope === scope);
  const rows = of.reduce(
    (sum, counts) => sum + STATES$1.reduce((n, state) => n + counts[state], 0),
    0,
  );
  const progress = new Progress(
    'exporting',
    scope === undefined ? Math.max(rows, fence.used) : rows,
    process.stderr,
  );
  let [last, lines] = ['', 0];
  try {
    for await (const text of index_js$1.OperationJournal.export(
      journal,
      scope === undefined ? {} : { scope },
    )) {
      if (interrupted.aborted) throw new Interrupted();
      await write(text);
      last = text;
      progress.at((lines += breaksIn(text)));
    }
  } finally {
    progress.end();
  }
  return endOf(last);
}
/** Into a file that is not there yet, and is not there afterwards unless it is whole. */
async function exportedTo(path, journal, call) {
  let file;
  try {
    file = await promises.open(path, 'wx', 0o600);
  } catch (error) {
    const exists = error.code === 'EEXIST';
    throw exists ? Object.assign(new Error('exists'), { code: 'ERR_BACKUP_EXISTS', path }) : error;
  }
  try {
    const end = await exported(journal, call, (text) => file.appendFile(text));
    await file.sync();
    await file.close();
    return end;
  } catch (error) {
    await file.close().catch(() => undefined);
    node_fs.rmSync(path, { force: true });
    throw error;
  }
}
const exporting = (output) => ({
  name: 'journal export',
  summary: 'print everything that is recorded, as lines of JSON',
  about: `
Prints all of a journal, or one scope of it, as JSON Lines: a head, each operation of the history
whole (times, intent, reference, input and result), each id that left the history and is held by
the fence, what drainRetired() has not struck, and an end that counts the lines. 'journal import'
makes the same journal of it. The file is only read; rows are exported as they were recorded.

Records that cannot be read are passed over, the ids that the fence holds for them kept; then the
exit code is 4. docs/cli.md describes each line.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: 'this scope only' },
    output: { value: 'FILE', short: 'o', help: 'write to a new file, whole or not at all' },
    json: { help: 'as without: it is JSON anyway' },
  },
  examples: [
    ['tenure journal export -j jobs.journal -o jobs.jsonl', 'to a file'],
    [
      'tenure journal export -j jobs.journal | jq -c \'select(.state == "failed")\'',
      'what failed, with its input',
    ],
  ],
  run: (call) =>
    reading(call.values, async (journal) => {
      const path = textOf(call.values, 'output');
      const to = output();
      const printed = (text) => to.text(to.isTerminal ? safeJson(text) : text);
      const end =
        path === undefined
          ? await exported(journal, call, printed)
          : await exportedTo(path, journal, call);
      if (end.damaged === 0) return EXIT.done;
      note(`tenure: damaged records: ${end.damaged}; 'tenure journal verify' names them.`);
      return EXIT.damaged;
    }),
});
/** The text of a file, or of stdin, piece by piece. */
async function* piecesOf(path, interrupted, seen) {
  const stream =
    path === '-' ? process.stdin : node_fs.createReadStream(path, { highWaterMark: 1 << 20 });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stop = () => void stream.destroy(new Interrupted());
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    for await (const bytes of stream) {
      if (interrupted.aborted) throw new Interrupted();
      const text = decoder.decode(bytes, { stream: true });
      seen(bytes.length, text);
      yield text;
    }
    yield decoder.decode();
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}
const importing = (output) => ({
  name: 'journal import',
  summary: 'make a journal of an export',
  about: `
Makes a new journal of what 'journal export' printed; FILE may be - for stdin. The journal must not
be there yet. It is made aside and takes its name once it is whole, so that an import that fails, or
is interrupted, leaves nothing. Every line is checked; the first that cannot be taken is named by
its number. An id that the fence held stays reserved: nothing can be started a second time.

Do not run the new journal beside the one that was exported: both would submit what is waiting.
With --json it is one object: path, operations, left and retired, their numbers.`,
  positionals: ['FILE'],
  options: {
    journal: { ...JOURNAL, help: 'where to make it; else TENURE_JOURNAL' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure journal import jobs.jsonl -j restored.journal', 'from a file'],
    [
      'ssh host tenure journal export -j jobs.journal | tenure journal import - -j jobs.journal',
      'from another machine',
    ],
  ],
  run: async ({ values, positionals: [from = ''], interrupted }) => {
    const path = journalPath(values);
    const total = from === '-' ? undefined : node_fs.statSync(from).size;
    const progress = new Progress('importing', total, process.stderr);
    let [done, tail] = [0, ''];
    const pieces = piecesOf(from, interrupted, (bytes, text) => {
      progress.at((done += bytes));
      tail = (tail + text).slice(-512);
    });
    try {
      await index_js$1.OperationJournal.import(path, pieces);
    } catch (error) {
      const { code } = error;
      if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
      throw Object.assign(new Error('The export is not UTF-8'), {
        code: 'ERR_JOURNAL_CORRUPT',
        path: from,
      });
    } finally {
      progress.end();
    }
    const { operations, left, retired } = endOf(tail.endsWith('\n') ? tail : `${tail}\n`);
    const to = output();
    if (values['json'] === true) await to.line(json({ path, operations, left, retired }));
    else
      await to.line(
        `${safe(path)}: ${operations} in the history, ${left} more on the fence, ${retired} retired`,
      );
    return EXIT.done;
  },
});

const STEPS = [
  [864e5, 'd'],
  [36e5, 'h'],
  [6e4, 'm'],
  [1e3, 's'],
];
/** How long ago, in the largest unit that says anything. */
function ago(at, now) {
  const past = Math.max(0, now - at);
  for (const [ms, unit] of STEPS) if (past >= ms) return `${Math.floor(past / ms)}${unit}`;
  return 'now';
}
/** A time as ISO 8601 has it; what no date reaches as a number. */
function date(at) {
  const found = new Date(at);
  return Number.isNaN(found.getTime()) ? String(at) : found.toISOString();
}
/** Never 100 before the end; what a double cannot hold does not count. */
const percent = (progress) =>
  progress === null ? '' : `${Math.floor(Number((progress * 100).toFixed(6)))}%`;
/** What a person wants to know of a row beside its state. */
function remark(status) {
  const { state, submission, error, stage, queuePosition } = status;
  const parts = [];
  if (state === 'interrupted')
    parts.push(submission === 'accepted' ? 'waits for its runner' : 'waits for a decision');
  // Whoever owned the journal is gone: it could not be read otherwise.
  if (status.stale && (state === 'running' || state === 'queued')) parts.push('nobody watches');
  if (queuePosition !== null) parts.push(queuePosition === 0 ? 'next' : `${queuePosition} ahead`);
  if (error !== null) parts.push(safe(error));
  if (stage !== null) parts.push(safe(stage));
  return parts.join(': ');
}

const SCOPE = {
  value: 'SCOPE',
  help: "the operation's; needed only if several scopes have the id",
};
/** What is known of an operation, a line each. */
function described({ scope, status }, more, to) {
  const time = (at) => (at === null ? null : date(at));
  const facts = [
    ['operation', safe(status.operationId)],
    ['scope', scope === '' ? null : safe(scope)],
    ['state', to.paint(styleOf(status.state), status.state)],
    ['submission', status.submission],
    ['remark', remark(status) || null],
    ['done', percent(status.progress) || null],
    ['cancel', more.cancelRequested ? 'requested' : null],
    ['stale', status.stale ? 'what is known may be out of date' : null],
    ['asked', time(status.submittedAt)],
    ['started', time(more.startedAt)],
    ['seen', time(status.updatedAt)],
    ['finished', time(status.finishedAt)],
    ['reference', status.backendReference === null ? null : safe(status.backendReference)],
    ['digest', safe(status.inputDigest)],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`${to.paint('gray', name.padEnd(12))}${value}`],
  );
  for (const [name, value] of [
    ['input', status.input],
    ['result', status.result],
  ]) {
    if (value === null) continue;
    lines.push(
      to.paint('gray', name),
      ...safeJson(JSON.stringify(value, null, 2))
        .split('\n')
        .map((line) => `  ${line}`),
    );
  }
  return lines;
}
const status = (output) => ({
  name: 'ops status',
  summary: 'show all that is recorded of one operation',
  about: `
Shows one operation whole: state, times, the backend's reference, the recorded input and result.
The file is only read. An operation that was pruned or forgotten is not in the history any more:
exit code 5. With --json it is one object: what journal.status() gives, with scope, startedAt and
cancelRequested.`,
  positionals: ['ID'],
  options: { journal: JOURNAL, scope: SCOPE, json: JSON_OUT },
  examples: [
    ['tenure ops status render-17 -j jobs.journal', 'one operation'],
    ['tenure ops status render-17 -j jobs.journal --json | jq .result', 'its result'],
  ],
  run: ({ values, positionals: [id = ''] }) =>
    reading(values, async (journal) => {
      const found = find(journal, id, values);
      const { scope } = found;
      const more = {
        startedAt: journal.startedAt(id, scope),
        cancelRequested: journal.cancelRequested(id, scope),
      };
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...found.status, ...more }));
      else await to.lines(described(found, more, to));
      return EXIT.done;
    }),
});

// What changes one operation: cancel, resolve.
const OWNER = `
The journal is opened for writing, which another process must not do meanwhile: exit code 3.
Opening it says of every operation that was running that it is interrupted, since nobody watches
it any more; the runner takes up again what the backend had accepted. Nothing is pruned.`;
const cancel = (output) => ({
  name: 'ops cancel',
  summary: 'cancel an operation that waits, ask for the end of one that was sent',
  about: `
An operation that waits in the journal's queue is cancelled at once. For one that was sent the
intent is recorded; the runner asks the backend when it is started again, and observes the operation
to its end. One that has ended stays as it is (outcome "terminal"), which is no error.
${OWNER}

With --json it is one object: scope, outcome ("cancelled", "recorded" or "terminal") and status.`,
  positionals: ['ID'],
  options: { journal: JOURNAL, scope: SCOPE, json: JSON_OUT },
  examples: [['tenure ops cancel render-17 -j jobs.journal', 'this one']],
  run: ({ values, positionals: [id = ''] }) =>
    writing(values, async (journal) => {
      const found = find(journal, id, values);
      const { scope } = found;
      const answer = waits(found.status)
        ? {
            outcome: 'cancelled',
            status: await journal.update(id, { state: 'cancelled' }, scope),
          }
        : await journal.requestCancel(id, scope);
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...answer }));
      else {
        const words = {
          cancelled: 'is cancelled; it was not sent',
          recorded: 'is to be cancelled: its runner will ask the backend',
          terminal: `has ended: ${answer.status.state}`,
        };
        await to.line(`${safe(id)} ${words[answer.outcome]}`);
      }
      return EXIT.done;
    }),
});
const OUTCOMES = ['succeeded', 'failed', 'cancelled'];
/** A result that is given as JSON, or as the name of a file with it. */
function resultOf(given) {
  if (given === undefined) return undefined;
  try {
    const text = given.startsWith('@') ? node_fs.readFileSync(given.slice(1), 'utf8') : given;
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`--result: ${error.message}`);
  }
  throw new UsageError('--result takes a JSON object.');
}
const resolve = (output) => ({
  name: 'ops resolve',
  summary: 'decide how an interrupted operation ended',
  about: `
Closes an interrupted operation as you say it ended: the way out of a submission of which nobody
knows whether it arrived. Look at the backend first, under the operation id as its idempotency key.
The decision is final, and it is yours: nothing is asked of the backend. An operation that is not
interrupted is refused.
${OWNER}

With --json it is one object: scope and the new status.`,
  positionals: ['ID'],
  options: {
    journal: JOURNAL,
    scope: SCOPE,
    as: { value: 'STATE', help: `how it ended: ${OUTCOMES.join(', ')}` },
    note: { value: 'TEXT', help: 'why, shown with the operation' },
    result: { value: 'JSON', help: 'what came of it, or @FILE; with succeeded only' },
    json: JSON_OUT,
  },
  examples: [
    [
      "tenure ops resolve render-17 -j jobs.journal --as failed --note 'never arrived'",
      'the backend knows nothing of it',
    ],
    [
      'tenure ops resolve render-17 -j jobs.journal --as succeeded --result @result.json',
      'it was done; this is what came of it',
    ],
  ],
  run: ({ values, positionals: [id = ''] }) => {
    const state = OUTCOMES.find((each) => each === textOf(values, 'as'));
    if (state === undefined) throw new UsageError(`--as takes one of ${OUTCOMES.join(', ')}.`);
    const result = resultOf(textOf(values, 'result'));
    if (result !== undefined && state !== 'succeeded')
      throw new UsageError('--result goes with --as succeeded only.');
    const note = textOf(values, 'note');
    const outcome = {
      state,
      ...(note === undefined ? {} : { note }),
      ...(result === undefined ? {} : { result }),
    };
    return writing(values, async (journal) => {
      const { scope } = find(journal, id, values);
      const status = await journal.resolve(id, outcome, scope);
      const to = output();
      if (values['json'] === true) await to.line(json({ scope, ...status }));
      else await to.line(`${safe(id)} is resolved: ${status.state}`);
      return hasEnded(status) ? EXIT.done : EXIT.failed;
    });
  },
});

/** How many operations `forget` would take, by what the journal holds of them. */
async function counted(journal, scope, before) {
  let count = 0;
  let rest = '';
  for await (const lines of index_js$1.OperationJournal.export(journal, { scope })) {
    const parts = (rest + lines).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = JSON.parse(part);
      const at = line.ended === undefined ? line.finishedAt : line.updatedAt;
      if (typeof at === 'number' && at < before) count += 1;
    }
  }
  return count;
}
const forget = (output) => ({
  name: 'ops forget',
  summary: 'take operations that ended long ago off the fence',
  about: `
Forgets the operations of one scope that ended before a time, pruned ones included. This is the only
way in which the fence gets shorter, and it is for good: a forgotten id may be reserved anew, so a
late retry of it would do the work a second time. Choose a time that no retry outlives.

The journal is opened for writing, which another process must not do meanwhile: exit code 3.
Opening it says of every operation that was running that it is interrupted. With --dry-run it is
only read. Logs are not deleted: the owner of the journal gets the ids from drainRetired().

With --json it is one object: scope, before (milliseconds) and forgotten, their number.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: "the scope; default '', the one without a name" },
    before: { value: 'TIME', help: 'a date (2026-01-31), or an age (30d, 12h, 90m)' },
    'dry-run': { help: 'count them, and change nothing' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops forget -j jobs.journal --before 90d --dry-run', 'how many that would be'],
    ['tenure ops forget -j jobs.journal --before 2026-01-01 --scope renders', 'of last year'],
  ],
  run: async ({ values }) => {
    const given = textOf(values, 'before');
    if (given === undefined) throw new UsageError('--before is missing: forget what?');
    const before = timeOf(given, 'before', Date.now());
    const scope = textOf(values, 'scope') ?? '';
    const dry = values['dry-run'] === true;
    const forgotten = dry
      ? await reading(values, (journal) => counted(journal, scope, before))
      : await writing(values, (journal) => journal.forget({ finishedBefore: before, scope }));
    const to = output();
    if (values['json'] === true) await to.line(json({ scope, before, forgotten, dryRun: dry }));
    else {
      const of = scope === '' ? '' : ` of scope ${safe(scope)}`;
      const what = forgotten === 1 ? '1 operation' : `${forgotten} operations`;
      await to.line(`${what}${of} ${dry ? 'would be' : forgotten === 1 ? 'is' : 'are'} forgotten`);
    }
    return EXIT.done;
  },
});

const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'];
function* rowsOf(journal, scope, state) {
  let offset = 0;
  while (offset !== null) {
    const page = journal.page(scope, state === undefined ? { offset } : { offset, state });
    for (const status of page.operations) yield { scope, status };
    offset = page.nextOffset;
  }
}
/** Newest first. Within a scope the order is that of the journal, whatever the clock said. */
function listed(journal, scopes, state) {
  const lists = scopes.map((scope) => [...rowsOf(journal, scope, state)]);
  if (lists.length === 1) return lists[0] ?? [];
  return lists.flat().sort((a, b) => b.status.submittedAt - a.status.submittedAt);
}
function columns(now, several) {
  const of = (text) => (row) => text(row.status);
  const scope = {
    title: 'SCOPE',
    text: (row) => safe(row.scope),
    least: 6,
    rank: 4,
  };
  return [
    { title: 'ID', text: of((status) => safe(status.operationId)), least: 8, style: () => 'bold' },
    ...(several ? [scope] : []),
    {
      title: 'STATE',
      text: of((status) => status.state),
      style: ({ status }) => styleOf(status.state),
    },
    { title: 'DONE', text: of((status) => percent(status.progress)), toTheRight: true, rank: 2 },
    {
      title: 'ASKED',
      text: of((status) => ago(status.submittedAt, now)),
      toTheRight: true,
      rank: 1,
    },
    { title: 'SEEN', text: of((status) => ago(status.updatedAt, now)), toTheRight: true, rank: 3 },
    { title: 'REMARK', text: of(remark), least: 12, rank: 5 },
  ];
}
const list = (output) => ({
  name: 'ops list',
  summary: 'list the operations of the history, newest first',
  about: `
Lists what the history of a journal holds, of all scopes or of one, newest first. The file is only
read: rows are shown as they were recorded, and those of a process that died are still running.

A table is as wide as the terminal (or COLUMNS); elsewhere nothing is cut. ASKED and SEEN are how
long ago the operation was reserved and last observed. With --json each line is one operation, as
journal.page() gives it, with its scope.`,
  options: {
    journal: JOURNAL,
    scope: { value: 'SCOPE', help: "this scope only; '' is the one without a name" },
    state: { value: 'STATE', help: `one of ${STATES.join(', ')}` },
    limit: { value: 'N', help: 'the newest N only' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops list -j jobs.journal', 'everything'],
    ['tenure ops list -j jobs.journal --state interrupted', 'what waits for a runner, or for you'],
    ['tenure ops list -j jobs.journal --json | jq -r .operationId', 'ids, one a line'],
  ],
  run: ({ values }) =>
    reading(values, async (journal) => {
      const state = textOf(values, 'state');
      if (state !== undefined && !STATES.includes(state))
        throw new UsageError(`--state takes one of ${STATES.join(', ')}, not '${state}'.`);
      const limit = countOf(values, 'limit') ?? Infinity;
      const scopes = scopesOf(journal, values);
      const all = listed(journal, scopes, state);
      const rows = all.slice(0, limit);
      const to = output();
      if (values['json'] === true) {
        for (const { scope, status } of rows) await to.line(json({ scope, ...status }));
        return EXIT.done;
      }
      if (rows.length === 0) {
        if (process.stderr.isTTY) note('No operation is there.');
        return EXIT.done;
      }
      await to.lines(table(columns(Date.now(), scopes.length > 1), rows, to.room, to.paint));
      if (rows.length < all.length) note(`${all.length - rows.length} more`);
      return EXIT.done;
    }),
});

/** How often a log of another process is looked at. */
const EVERY_MS = 200;
/** How many looks there are to one at the journal, which keeps its owner from opening it meanwhile. */
const JOURNAL_EVERY = 10;
const isCode = (error, ...codes) => codes.includes(error.code ?? '');
const knowsJournal = (values) => {
  try {
    return journalPath(values) !== '';
  } catch {
    return false;
  }
};
/** The scope of the log: as it was given, or as the journal tells if it can be read, or none. */
async function placeOf(id, values) {
  const scope = textOf(values, 'scope') ?? '';
  if (!knowsJournal(values)) return { scope };
  try {
    return await reading(values, async (journal) => ({ scope: find(journal, id, values).scope }));
  } catch (error) {
    if (isCode(error, 'ERR_OPERATION_UNKNOWN')) return { scope, unknown: error };
    if (isCode(error, 'ERR_JOURNAL_LOCKED')) return { scope };
    throw error;
  }
}
/** Whether the journal says that it has ended. One that is open elsewhere says nothing. */
async function hasFinished(id, scope, values) {
  if (!knowsJournal(values)) return false;
  try {
    return await reading(values, async (journal) => {
      const status = journal.status(id, scope);
      return status !== null && hasEnded(status);
    });
  } catch (error) {
    if (isCode(error, 'ERR_JOURNAL_LOCKED')) return false;
    throw error;
  }
}
/** Prints what there is from an offset on. */
async function print$1(from, read, values, to) {
  let at = from;
  for (;;) {
    const slice = read(at);
    if (slice.text === '') return { at, end: slice.nextOffset };
    if (values['json'] === true) await to.line(json(slice));
    else await to.text(values['raw'] === true ? slice.text : safeLines(slice.text));
    at = slice.nextOffset;
  }
}
async function follow(id, scope, from, { values, interrupted }, logs, to) {
  const read = (offset) => logs.read(id, offset, scope);
  let at = from;
  let longest = 0;
  for (let look = 0; ; look += 1) {
    // Asked before the log is read: what was written until then is there.
    const over = look % JOURNAL_EVERY === 0 && (await hasFinished(id, scope, values));
    const printed = await print$1(at, read, values, to);
    // A log never gets shorter. An offset that was asked for may be one that it has yet to reach.
    longest = Math.max(longest, printed.at > at ? printed.at : printed.end);
    if (printed.end < longest) return;
    at = printed.at;
    if (over) return;
    if (interrupted.aborted) throw new Interrupted();
    await promises$1.setTimeout(EVERY_MS, undefined, { signal: interrupted }).catch(() => {
      throw new Interrupted();
    });
  }
}
const log = (output) => ({
  name: 'ops log',
  summary: 'print the log of an operation, and follow it',
  about: `
Prints the log of one operation from the directory that OperationLogs writes to. It needs no
journal, and so works while the journal is open in another process; with one it knows the scope by
itself where it can read it. What would steer a terminal is printed as an escape, unless --raw.

--follow goes on as lines come, until the log is retired, or until the journal, if one is given and
nobody else has it open, says that the operation has ended; Ctrl-C ends it, too (exit code 130).
With --json each line is one slice, as OperationLogs.read() gives it.`,
  positionals: ['ID'],
  options: {
    logs: { value: 'DIRECTORY', short: 'l', help: 'the directory of the logs; else TENURE_LOGS' },
    journal: JOURNAL,
    scope: { ...SCOPE, help: "the operation's; else as the journal says, or ''" },
    offset: { value: 'BYTES', help: 'begin there; default 0' },
    follow: { short: 'f', help: 'go on as lines come' },
    raw: { help: 'print the text as it is' },
    json: JSON_OUT,
  },
  examples: [
    ['tenure ops log render-17 -l jobs.logs', 'all of it'],
    ['tenure ops log render-17 -l jobs.logs -f', 'and what comes'],
  ],
  run: (call) =>
    usingLogs(call.values, async (logs) => {
      const {
        values,
        positionals: [id = ''],
      } = call;
      const from = countOf(values, 'offset') ?? 0;
      const { scope, unknown } = await placeOf(id, values);
      const read = (offset) => logs.read(id, offset, scope);
      if (unknown !== undefined && read(0).text === '') throw unknown;
      const to = output();
      if (values['follow'] === true) await follow(id, scope, from, call, logs, to);
      else await print$1(from, read, values, to);
      return EXIT.done;
    }),
});

// The commands by their first words. One that reads its own arguments is an Entry; add it here.
let shared;
const output = () => (shared ??= new Output());
async function runCommand(command, argv) {
  let call;
  try {
    call = read(command, argv);
  } catch (error) {
    if (error instanceof UsageError) error.message += `\nSee tenure ${command.name} --help.`;
    throw error;
  }
  if (call.values['help'] === true) {
    await output().text(help(command));
    return 0;
  }
  const { values, positionals } = call;
  return command.run({
    values,
    positionals,
    get interrupted() {
      return interruptedOnce();
    },
  });
}
const names = (group, commands) => {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return (
    commands.map(({ name, summary }) => `  tenure ${name.padEnd(width)}  ${summary}`).join('\n') +
    `\n\nMore of each: tenure ${group} <command> --help\n`
  );
};
function group(name, summary, commands) {
  return {
    summary,
    run: async ([word, ...rest]) => {
      const command = commands.find((each) => each.name === `${name} ${word}`);
      if (command !== undefined) return runCommand(command, rest);
      const page = `tenure ${name}: ${summary}\n\n${names(name, commands)}`;
      if (word === undefined) throw new UsageError(`Which command?\n\n${page}`);
      if (word !== '--help' && word !== '-h' && word !== 'help')
        throw new UsageError(`There is no 'tenure ${name} ${word}'.\n\n${page}`);
      const asked = commands.find((each) => each.name === `${name} ${rest[0]}`);
      await output().text(word === 'help' && asked !== undefined ? help(asked) : page);
      return 0;
    },
  };
}
const of = (...makers) => makers.map((make) => make(output));
const ENTRIES = {
  ops: group(
    'ops',
    'look at the operations of a journal, and decide on them',
    of(list, status, log, cancel, resolve, forget),
  ),
  journal: group(
    'journal',
    'look after the file of a journal',
    of(stats, verify, compact, backup, exporting, importing),
  ),
};
const print = (text) => output().text(text);

const manifest = require('../package.json');
function page() {
  const width = Math.max(...Object.keys(ENTRIES).map((name) => name.length));
  const entries = Object.entries(ENTRIES);
  return [
    'tenure: durable operations, from the command line',
    '',
    ...entries.map(([name, { summary }]) => `  tenure ${name.padEnd(width)}  ${summary}`),
    '',
    '  tenure <command> --help   what it does, with examples',
    '  tenure --version          the version of the package',
    '',
    'Commands that look only read the file. Those that change something need it for themselves: a',
    'journal that is open in another process is said to be, with its process id (exit code 3).',
    'Set TENURE_JOURNAL and TENURE_LOGS to leave out --journal and --logs.',
    '',
  ].join('\n');
}
async function run([word, ...rest]) {
  if (word === '--version' || word === '-V') {
    await print(`${manifest.version}\n`);
    return 0;
  }
  if (word === '--help' || word === '-h') {
    await print(page());
    return 0;
  }
  const [name, argv] = word === 'help' ? [rest[0], [...rest.slice(1), '--help']] : [word, rest];
  const entry = name !== undefined && Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined;
  if (entry !== undefined) return entry.run(argv);
  if (word === 'help' && name === undefined) {
    await print(page());
    return 0;
  }
  const what = name === undefined ? 'Which command?' : `There is no command '${name}'.`;
  throw new UsageError(`${what}\n\n${page()}`);
}
listen();
const asked = process.argv.slice(2);
run(asked).then(
  (code) => (process.exitCode = code),
  (error) => {
    process.exitCode = exitOf(error);
    if (process.exitCode !== 130) note(spoken(error, asked.includes('--json')));
  },
);

/*
fast-string-truncated-width 3.0.3 is built in. Its licence:

The MIT License (MIT)

Copyright (c) 2024-present Fabio Spampinato

Permission is hereby granted, free of charge, to any person obtaining a
copy of this software and associated documentation files (the "Software"),
to deal in the Software without restriction, including without limitation
the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
*/
