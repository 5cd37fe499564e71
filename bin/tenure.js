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
const node_crypto = require('node:crypto');
const path = require('node:path');
const node_readline = require('node:readline');

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
async function openAt(path, readOnly) {
  return index_js.OperationJournal.open(present(path), { bounds: BOUNDS, readOnly });
}
/** A journal that is only read; whoever opens it closes it. */
const openToRead = (path) => openAt(path, true);
async function using(values, readOnly, work) {
  const journal = await openAt(journalPath(values), readOnly);
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
async function counted$1(journal, scope, before) {
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
      ? await reading(values, (journal) => counted$1(journal, scope, before))
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

/** The words of the call are not understood; the message says why. */
class WrongArguments extends Error {
  name = 'WrongArguments';
}
const timelineSummary = 'write operations and turns over time as a page';
const timelineHelp = `tenure timeline FILE.html [options]

Writes one page that shows operations and turns over time: bars by state, a table
beside them, search and filters. The page is a file by itself: it asks for nothing
else and may be handed on. Inputs, results and references are not in it; ids,
scopes, stages, errors and labels are.

Options:
  -j, --journal PATH  the file of a journal, as often as wanted; else TENURE_JOURNAL
  -t, --turns FILE    turns as JSON Lines, as often as wanted
  -s, --scope NAME    this scope, or this session, and others named so; else all
  -f, --force         write over a FILE that is no timeline
      --json          print JSON, for programs
  -h, --help          print this

Examples:
  tenure timeline jobs.html --journal jobs.journal
      everything that is in one journal
  tenure timeline day.html -j .tenure/journal -t .tenure/turns.jsonl
      what the session of \`npm start\` did

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 open in another process,
4 damaged or no journal, 5 no such operation or file, 130 interrupted.
`;
/** Reads the words after \`tenure timeline\`. Throws \`WrongArguments\`. */
function timelineArguments(argv, env) {
  const { values, positionals } = parsed$1(argv);
  if (values.help) return 'help';
  const [file, ...others] = positionals;
  if (file === undefined || file === '') throw new WrongArguments('FILE.html is missing.');
  if (others.length > 0) throw new WrongArguments(`Unexpected argument '${others[0]}'.`);
  const { journal, turns = [], scope, force = false, json = false } = values;
  const fallback = env['TENURE_JOURNAL'] ?? '';
  // The variable is for a call that names nothing; turns alone are a page too.
  const journals = journal ?? (turns.length === 0 && fallback !== '' ? [fallback] : []);
  if (journals.length + turns.length === 0)
    throw new WrongArguments(
      'Of what? Give --journal PATH or --turns FILE, or set TENURE_JOURNAL.',
    );
  if ([...journals, ...turns].includes(''))
    throw new WrongArguments('--journal and --turns take the name of a file.');
  return { file, journals, turns, ...(scope === undefined ? {} : { scopes: scope }), force, json };
}
function parsed$1(argv) {
  try {
    return node_util.parseArgs({
      args: [...argv],
      allowPositionals: true,
      strict: true,
      options: {
        journal: { type: 'string', short: 'j', multiple: true },
        turns: { type: 'string', short: 't', multiple: true },
        scope: { type: 'string', short: 's', multiple: true },
        force: { type: 'boolean', short: 'f' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new WrongArguments(error.message, { cause: error });
  }
}

/**
 * The operations of a journal as items, scope by scope, newest first. No input, result or reference is
 * among them: a page is made to be handed on.
 */
function* operationItems(rows, source, wanted) {
  const scopes = rows.stats().scopes.map(({ scope }) => scope);
  for (const scope of scopes.sort()) {
    if (wanted !== undefined && !wanted.includes(scope)) continue;
    for (let offset = 0; offset !== null;) {
      const page = rows.page(scope, { offset });
      for (const status of page.operations)
        yield operationItem(status, rows.startedAt(status.operationId, scope), scope, source);
      offset = page.nextOffset;
    }
  }
}
function operationItem(status, startedAt, scope, source) {
  const { operationId, state, stage, submittedAt, finishedAt, updatedAt } = status;
  return {
    kind: 'operation',
    id: operationId,
    scope,
    source,
    state,
    ...(stage === null ? {} : { label: stage }),
    queuedAt: submittedAt,
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { endedAt: finishedAt }),
    seenAt: updatedAt,
    facts: factsOf(status),
  };
}
function factsOf(status) {
  const { stage, error, progress, submission, queuePosition, stale, inputDigest } = status;
  const facts = [];
  if (error !== null) facts.push(['Error', error]);
  if (stage !== null) facts.push(['Stage', stage]);
  if (progress !== null) facts.push(['Progress', `${Math.round(progress * 100)} %`]);
  if (queuePosition !== null) facts.push(['Place in the queue', String(queuePosition + 1)]);
  facts.push(['Submission', submission]);
  if (stale) facts.push(['Stale', 'what is known may be out of date']);
  facts.push(['Input digest', `${inputDigest.slice(0, 12)}…`]);
  return facts;
}

const markup =
  '<a class="skip" href="#rows">Skip to the table</a>\n<header>\n  <div class="title">\n    <h1>Timeline</h1>\n    <p id="about"></p>\n    <ul id="sources"></ul>\n  </div>\n  <button type="button" id="theme" class="quiet">\n    <span class="theme-sign" aria-hidden="true"></span><span id="theme-name">Auto</span>\n  </button>\n</header>\n<noscript\n  ><p class="message">\n    This page draws itself with a script, which is switched off here.\n  </p></noscript\n>\n<div id="tools" role="search" aria-label="Filters">\n  <label class="field">\n    <span class="label">Search</span>\n    <input\n      id="search"\n      type="search"\n      placeholder="id, stage, error …"\n      autocomplete="off"\n      spellcheck="false"\n      aria-keyshortcuts="/"\n    />\n    <kbd aria-hidden="true">/</kbd>\n  </label>\n  <label class="field">\n    <span class="label">Show</span>\n    <select id="scope"></select>\n  </label>\n  <div id="states" role="group" aria-label="States that are shown"></div>\n</div>\n<main>\n  <div id="empty" class="message" hidden>\n    <h2>Nothing to show yet</h2>\n    <p>\n      The journals that were read hold no operation, and there was no turn. Run something, then\n      write this page again.\n    </p>\n  </div>\n  <div id="work" hidden>\n    <section class="plot" aria-label="Timeline">\n      <div class="bar">\n        <canvas id="overview" aria-hidden="true"></canvas>\n        <div class="buttons" role="group" aria-label="Zoom">\n          <button type="button" id="zoom-out" class="quiet square" aria-label="Zoom out">−</button>\n          <button type="button" id="zoom-in" class="quiet square" aria-label="Zoom in">+</button>\n          <button type="button" id="fit" class="quiet">Fit</button>\n        </div>\n      </div>\n      <div\n        id="chart"\n        tabindex="0"\n        role="application"\n        aria-roledescription="timeline"\n        aria-label="Bars of operations and turns over time"\n        aria-describedby="keys"\n      >\n        <div id="view" aria-hidden="true">\n          <canvas id="bars"></canvas>\n          <canvas id="marks"></canvas>\n        </div>\n        <div id="lanes"></div>\n      </div>\n      <div id="nothing" class="message over" hidden>\n        <p>Nothing matches these filters.</p>\n        <button type="button" class="quiet" data-action="clear">Clear filters</button>\n      </div>\n      <div class="foot">\n        <ul class="legend" aria-label="How bars are drawn">\n          <li><span class="key key-wait" aria-hidden="true"></span>lighter: waited</li>\n          <li><span class="key key-open" aria-hidden="true"></span>open end: none recorded</li>\n          <li><span class="key key-now" aria-hidden="true"></span>when the page was written</li>\n        </ul>\n        <details>\n          <summary>Keys</summary>\n          <p id="keys">\n            In the timeline: <kbd>←</kbd> <kbd>→</kbd> move in time, <kbd>↑</kbd>\n            <kbd>↓</kbd> scroll, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> all, <kbd>n</kbd>\n            <kbd>p</kbd> next and previous bar, <kbd>z</kbd> zoom to it, <kbd>Enter</kbd> its row,\n            <kbd>Esc</kbd> none. Ctrl and the wheel zoom, Shift and the wheel move. In the table:\n            <kbd>↑</kbd> <kbd>↓</kbd>, <kbd>Enter</kbd> selects, <kbd>z</kbd> zooms.\n            <kbd>/</kbd> searches.\n          </p>\n        </details>\n      </div>\n    </section>\n    <section class="list" aria-label="Table and details">\n      <div class="bar tally">\n        <span id="count" role="status"></span>\n        <button type="button" id="clear" class="quiet" data-action="clear" hidden>\n          Clear filters\n        </button>\n      </div>\n      <div id="rows">\n        <table id="rows-table" role="grid" aria-label="Operations and turns">\n          <thead>\n            <tr aria-rowindex="1">\n              <th scope="col" class="state" data-order="state">\n                <button type="button">State</button>\n              </th>\n              <th scope="col" class="name" data-order="id"><button type="button">Id</button></th>\n              <th scope="col" class="when" data-order="start" aria-sort="descending">\n                <button type="button">Began</button>\n              </th>\n              <th scope="col" class="long" data-order="duration">\n                <button type="button">Ran</button>\n              </th>\n            </tr>\n          </thead>\n          <tbody id="rows-body"></tbody>\n        </table>\n      </div>\n      <section id="details" aria-label="Details" tabindex="-1" hidden></section>\n    </section>\n  </div>\n</main>\n<div id="tip" aria-hidden="true" hidden></div>\n<p id="spoken" class="unseen" aria-live="polite"></p>';
const style =
  ":root {\n  color-scheme: light dark;\n  --page: light-dark(#f6f7f9, #10141b);\n  --surface: light-dark(#ffffff, #161b24);\n  --band: light-dark(#f0f2f5, #1d2430);\n  --raised: light-dark(#ffffff, #222a37);\n  --text: light-dark(#1b2330, #e4e9f1);\n  --quiet: light-dark(#5a6675, #97a3b4);\n  --line: light-dark(#d9dee5, #2f3847);\n  --faint: light-dark(#edf0f4, #1f2631);\n  --accent: light-dark(#2f5fd0, #86abff);\n  --on-bar: light-dark(#ffffff, #0d1218);\n  --hover: light-dark(#eef3fc, #1e2736);\n  --chosen: light-dark(#dfe9fb, #263653);\n  --queued: light-dark(#6b7686, #98a4b5);\n  --running: light-dark(#1877d2, #4a98ea);\n  --succeeded: light-dark(#007d53, #2fbf8a);\n  --failed: light-dark(#a8201a, #ff6f61);\n  --cancelled: light-dark(#8b3a8f, #e3b1ee);\n  --interrupted: light-dark(#b8860b, #f2d35f);\n  --shade: light-dark(rgb(20 30 50 / 11%), rgb(0 0 0 / 45%));\n  --shadow: 0 1px 2px var(--shade), 0 8px 26px var(--shade);\n}\n\n:root[data-theme='light'] {\n  color-scheme: light;\n}\n\n:root[data-theme='dark'] {\n  color-scheme: dark;\n}\n\n* {\n  box-sizing: border-box;\n}\n\n[hidden] {\n  display: none !important;\n}\n\nhtml {\n  height: 100%;\n}\n\nbody {\n  display: flex;\n  flex-direction: column;\n  gap: 14px;\n  height: 100%;\n  margin: 0;\n  padding: 18px 20px 16px;\n  background: var(--page);\n  color: var(--text);\n  font:\n    14px/1.45 system-ui,\n    -apple-system,\n    'Segoe UI',\n    Roboto,\n    'Noto Sans',\n    'Liberation Sans',\n    'DejaVu Sans',\n    sans-serif;\n}\n\nh1,\nh2,\np,\nul,\ndl,\ndd {\n  margin: 0;\n  padding: 0;\n}\n\nul {\n  list-style: none;\n}\n\nbdi {\n  overflow-wrap: anywhere;\n}\n\n:focus-visible {\n  outline: 2px solid var(--accent);\n  outline-offset: 2px;\n}\n\nbutton,\ninput,\nselect {\n  color: inherit;\n  font: inherit;\n}\n\nbutton {\n  cursor: pointer;\n}\n\n.unseen,\n.skip:not(:focus) {\n  position: absolute;\n  width: 1px;\n  height: 1px;\n  overflow: hidden;\n  clip-path: inset(50%);\n  white-space: nowrap;\n}\n\n.skip {\n  position: absolute;\n  z-index: 5;\n  padding: 8px 14px;\n  border-radius: 8px;\n  background: var(--raised);\n  color: var(--accent);\n  box-shadow: var(--shadow);\n}\n\n/* -- the top ------------------------------------------------------------------ */\n\nheader {\n  display: flex;\n  align-items: flex-start;\n  justify-content: space-between;\n  gap: 16px;\n}\n\n.title {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: baseline;\n  gap: 2px 14px;\n  min-width: 0;\n}\n\nh1 {\n  font-size: 20px;\n  font-weight: 650;\n  letter-spacing: -0.01em;\n}\n\n#about {\n  color: var(--quiet);\n}\n\n#sources {\n  display: flex;\n  flex-basis: 100%;\n  flex-wrap: wrap;\n  gap: 0 16px;\n  max-height: 7.5em;\n  overflow: auto;\n  color: var(--quiet);\n  font-size: 12px;\n}\n\n.path,\n.id {\n  font-family:\n    ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;\n  font-size: 12px;\n}\n\n.note::before {\n  content: '⚠ ';\n}\n\n.quiet {\n  display: inline-flex;\n  align-items: center;\n  gap: 7px;\n  height: 30px;\n  padding: 0 11px;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n  background: var(--surface);\n  white-space: nowrap;\n}\n\n.quiet:hover {\n  background: var(--hover);\n}\n\n.square {\n  width: 30px;\n  justify-content: center;\n  padding: 0;\n  font-size: 16px;\n}\n\n.theme-sign {\n  width: 13px;\n  height: 13px;\n  border: 1.5px solid currentcolor;\n  border-radius: 50%;\n  background: linear-gradient(90deg, currentcolor 50%, transparent 50%);\n}\n\n/* -- filters ------------------------------------------------------------------ */\n\n#tools {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: center;\n  gap: 10px 12px;\n}\n\n.field {\n  position: relative;\n  display: flex;\n  align-items: center;\n}\n\n.label {\n  position: absolute;\n  left: 11px;\n  color: var(--quiet);\n  font-size: 12px;\n  pointer-events: none;\n}\n\n.field input,\n.field select {\n  height: 34px;\n  border: 1px solid var(--line);\n  border-radius: 9px;\n  background: var(--surface);\n}\n\n.field input {\n  width: 270px;\n  padding: 0 34px 0 62px;\n}\n\n.field input::placeholder {\n  color: var(--quiet);\n  opacity: 0.8;\n}\n\n.field select {\n  max-width: 300px;\n  padding: 0 8px 0 52px;\n  text-overflow: ellipsis;\n}\n\n.field kbd {\n  position: absolute;\n  right: 9px;\n  pointer-events: none;\n}\n\n.field input:focus ~ kbd,\n.field input:not(:placeholder-shown) ~ kbd {\n  display: none;\n}\n\nkbd {\n  padding: 0 5px;\n  border: 1px solid var(--line);\n  border-radius: 4px;\n  background: var(--band);\n  color: var(--quiet);\n  font-family: inherit;\n  font-size: 11px;\n}\n\n#states {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 6px;\n}\n\n.chip {\n  display: inline-flex;\n  align-items: center;\n  gap: 7px;\n  height: 30px;\n  padding: 0 10px;\n  border: 1px solid var(--line);\n  border-radius: 15px;\n  background: var(--surface);\n}\n\n.chip:hover {\n  background: var(--hover);\n}\n\n.chip[aria-pressed='false'] {\n  border-style: dashed;\n  background: transparent;\n  color: var(--quiet);\n  text-decoration: line-through;\n}\n\n.chip[aria-pressed='false'] .mark {\n  opacity: 0.4;\n}\n\n.count {\n  color: var(--quiet);\n  font-size: 12px;\n  font-variant-numeric: tabular-nums;\n}\n\n.tally {\n  justify-content: space-between;\n  min-height: 59px;\n  color: var(--quiet);\n  font-variant-numeric: tabular-nums;\n}\n\n/* -- signs of the states: each has a form of its own --------------------------- */\n\n.mark {\n  position: relative;\n  flex: none;\n  width: 16px;\n  height: 11px;\n  overflow: hidden;\n  border: 1px solid currentcolor;\n  border-radius: 3px;\n}\n\n.mark::before {\n  position: absolute;\n  inset: 0;\n  content: '';\n}\n\n.mark-queued {\n  color: var(--queued);\n}\n\n.mark-queued::before {\n  background: currentcolor;\n  opacity: 0.22;\n}\n\n.mark-running {\n  border-right: 0;\n  border-radius: 3px 0 0 3px;\n  color: var(--running);\n}\n\n.mark-running::before {\n  background: linear-gradient(90deg, currentcolor 35%, transparent);\n}\n\n.mark-succeeded {\n  color: var(--succeeded);\n}\n\n.mark-succeeded::before {\n  background: currentcolor;\n}\n\n.mark-failed {\n  color: var(--failed);\n}\n\n.mark-failed::before {\n  background:\n    linear-gradient(45deg, transparent 43%, var(--on-bar) 43% 57%, transparent 57%) center / 9px 9px\n      no-repeat,\n    linear-gradient(-45deg, transparent 43%, var(--on-bar) 43% 57%, transparent 57%) center / 9px\n      9px no-repeat,\n    currentcolor;\n}\n\n.mark-cancelled {\n  color: var(--cancelled);\n}\n\n.mark-cancelled::before {\n  background: linear-gradient(transparent 4px, currentcolor 4px 5px, transparent 5px);\n}\n\n.mark-interrupted {\n  border-right: 0;\n  border-radius: 3px 0 0 3px;\n  color: var(--interrupted);\n}\n\n.mark-interrupted::before {\n  background: repeating-linear-gradient(-45deg, currentcolor 0 1.6px, transparent 1.6px 4px);\n}\n\n/* -- the timeline -------------------------------------------------------------- */\n\nmain,\n#work {\n  flex: 1;\n  min-height: 0;\n}\n\nmain {\n  display: flex;\n}\n\n#work {\n  display: grid;\n  grid-template-columns: minmax(0, 1fr) minmax(520px, 37%);\n  gap: 14px;\n  min-width: 0;\n}\n\n.plot,\n.list {\n  position: relative;\n  display: flex;\n  flex-direction: column;\n  min-width: 0;\n  min-height: 0;\n  overflow: hidden;\n  border: 1px solid var(--line);\n  border-radius: 12px;\n  background: var(--surface);\n}\n\n.bar {\n  display: flex;\n  align-items: center;\n  gap: 12px;\n  padding: 10px 12px;\n  border-bottom: 1px solid var(--line);\n}\n\n#overview {\n  flex: 1;\n  width: 0;\n  height: 38px;\n  border-radius: 5px;\n  background: var(--faint);\n  cursor: ew-resize;\n  touch-action: none;\n}\n\n.buttons {\n  display: flex;\n  gap: 6px;\n}\n\n#chart {\n  position: relative;\n  flex: 1;\n  min-height: 0;\n  overflow: hidden auto;\n  cursor: grab;\n  touch-action: pan-y;\n  user-select: none;\n}\n\n#chart:focus-visible {\n  outline-offset: -2px;\n}\n\n#chart.on-bar {\n  cursor: pointer;\n}\n\n#chart.dragging {\n  cursor: grabbing;\n}\n\n#view {\n  position: sticky;\n  top: 0;\n  height: 100%;\n}\n\n#view canvas {\n  position: absolute;\n  inset: 0;\n  width: 100%;\n  height: 100%;\n}\n\n/* As high as all lanes, under the view that stands still. */\n#lanes {\n  position: absolute;\n  top: 0;\n  width: 1px;\n  pointer-events: none;\n}\n\n.foot {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: baseline;\n  justify-content: space-between;\n  gap: 4px 18px;\n  padding: 8px 14px;\n  border-top: 1px solid var(--line);\n  color: var(--quiet);\n  font-size: 12px;\n}\n\n.legend {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 2px 18px;\n}\n\n.legend li {\n  display: inline-flex;\n  align-items: center;\n  gap: 7px;\n}\n\n.key {\n  width: 26px;\n  height: 10px;\n  border: 1px solid var(--running);\n  border-radius: 3px;\n}\n\n.key-wait {\n  background: linear-gradient(\n    90deg,\n    color-mix(in srgb, var(--running) 22%, transparent) 50%,\n    var(--running) 50%\n  );\n}\n\n.key-open {\n  border-right: 0;\n  border-radius: 3px 0 0 3px;\n  background: linear-gradient(90deg, var(--running) 30%, transparent);\n}\n\n.key-now {\n  width: 1px;\n  height: 13px;\n  border: 0;\n  background: var(--accent);\n}\n\nsummary {\n  cursor: pointer;\n}\n\n#keys {\n  max-width: 78ch;\n  padding: 6px 0 2px;\n  line-height: 1.8;\n}\n\n.message {\n  max-width: 46ch;\n  margin: auto;\n  padding: 24px;\n  color: var(--quiet);\n  text-align: center;\n}\n\n.message h2 {\n  margin-bottom: 6px;\n  color: var(--text);\n  font-size: 17px;\n}\n\n.over {\n  position: absolute;\n  inset: 128px 0 auto;\n}\n\n.over p {\n  margin-bottom: 12px;\n}\n\n/* -- the table ----------------------------------------------------------------- */\n\n#rows {\n  flex: 1 1 60%;\n  min-height: 140px;\n  overflow: hidden auto;\n}\n\n#rows-table {\n  width: 100%;\n  border-spacing: 0;\n  table-layout: fixed;\n}\n\nth {\n  position: sticky;\n  z-index: 1;\n  top: 0;\n  height: 40px;\n  padding: 0;\n  border-bottom: 1px solid var(--line);\n  background: var(--surface);\n  font-weight: 500;\n  text-align: left;\n}\n\nth button {\n  width: 100%;\n  height: 39px;\n  padding: 0 0 0 12px;\n  border: 0;\n  background: none;\n  color: var(--quiet);\n  font-size: 12px;\n  text-align: inherit;\n}\n\nth button:hover {\n  color: var(--text);\n}\n\nth button:focus-visible {\n  outline-offset: -3px;\n}\n\nth[aria-sort] button {\n  color: var(--text);\n}\n\nth[aria-sort='ascending'] button::after {\n  content: ' ↑';\n}\n\nth[aria-sort='descending'] button::after {\n  content: ' ↓';\n}\n\nth.state {\n  width: 122px;\n}\n\nth.when {\n  width: 106px;\n}\n\nth.long {\n  width: 142px;\n}\n\nth.long,\ntd.long {\n  text-align: right;\n}\n\nth.long button {\n  padding-right: 14px;\n}\n\n#rows-body tr:not(.gap) {\n  height: 48px;\n  cursor: pointer;\n}\n\ntd {\n  overflow: hidden;\n  padding: 0 0 0 12px;\n  border-bottom: 1px solid var(--faint);\n  font-variant-numeric: tabular-nums;\n  white-space: nowrap;\n}\n\n.gap td {\n  padding: 0;\n  border: 0;\n}\n\ntd.state > * {\n  display: inline-block;\n  margin-right: 8px;\n  vertical-align: -1px;\n}\n\ntd.state > .mark + * {\n  margin: 0;\n  vertical-align: baseline;\n}\n\ntd.long {\n  padding-right: 14px;\n}\n\ntd > .id,\ntd .under {\n  display: block;\n  overflow: hidden;\n  text-overflow: ellipsis;\n}\n\n.under {\n  color: var(--quiet);\n  font-size: 12px;\n  line-height: 1.35;\n}\n\ntr.hovered td {\n  background: var(--hover);\n}\n\ntr[aria-selected='true'] td {\n  background: var(--chosen);\n}\n\n#rows-body tr:focus-visible {\n  outline-offset: -2px;\n}\n\n/* -- details ------------------------------------------------------------------- */\n\n#details {\n  flex: 0 1 auto;\n  max-height: 46%;\n  overflow: auto;\n  padding: 14px 16px 16px;\n  border-top: 1px solid var(--line);\n  background: var(--band);\n}\n\n.top {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: center;\n  justify-content: space-between;\n  gap: 8px;\n}\n\n.what {\n  display: flex;\n  align-items: center;\n  gap: 10px;\n}\n\n.pill {\n  display: inline-flex;\n  align-items: center;\n  gap: 8px;\n  font-weight: 600;\n}\n\n.kind {\n  color: var(--quiet);\n}\n\nh2.id {\n  margin: 10px 0 8px;\n  font-size: 13px;\n  font-weight: 600;\n}\n\n.facts {\n  display: grid;\n  grid-template-columns: max-content minmax(0, 1fr);\n  gap: 3px 16px;\n  font-size: 13px;\n}\n\n.facts dt {\n  color: var(--quiet);\n}\n\n.facts dd {\n  font-variant-numeric: tabular-nums;\n  white-space: pre-wrap;\n}\n\n.utc {\n  display: block;\n  color: var(--quiet);\n  font-size: 12px;\n}\n\n.error {\n  color: var(--failed);\n}\n\n#tip {\n  position: fixed;\n  z-index: 4;\n  top: 0;\n  left: 0;\n  max-width: min(380px, 92vw);\n  padding: 11px 14px 12px;\n  border: 1px solid var(--line);\n  border-radius: 10px;\n  background: var(--raised);\n  box-shadow: var(--shadow);\n  pointer-events: none;\n}\n\n#tip > .id {\n  display: block;\n  margin: 5px 0 6px;\n}\n\n/* -- narrow windows, print-outs, and eyes that want no motion ------------------- */\n\n@media (max-width: 1100px) {\n  body {\n    height: auto;\n    padding: 14px 12px;\n  }\n\n  #work {\n    grid-template-columns: minmax(0, 1fr);\n  }\n\n  .plot {\n    height: 420px;\n  }\n\n  .list {\n    max-height: 88vh;\n  }\n\n  #rows {\n    flex-basis: 420px;\n  }\n}\n\n@media (max-width: 560px) {\n  .field,\n  .field input,\n  .field select {\n    width: 100%;\n    max-width: none;\n  }\n\n  .field kbd {\n    display: none;\n  }\n\n  th.when,\n  td.when {\n    display: none;\n  }\n\n  th.state {\n    width: 124px;\n  }\n\n  th.long {\n    width: 142px;\n  }\n}\n\n@media (prefers-reduced-motion: no-preference) {\n  .chip,\n  .quiet,\n  td {\n    transition: background-color 0.12s;\n  }\n}\n\n@media (forced-colors: active) {\n  .mark,\n  .key {\n    forced-color-adjust: none;\n  }\n\n  tr[aria-selected='true'] td {\n    background: Highlight;\n    color: HighlightText;\n  }\n}\n";
const script =
  "(function () {\n    'use strict';\n\n    class Canvas {\n        element;\n        context;\n        width = 0;\n        height = 0;\n        constructor(element, onResize) {\n            this.element = element;\n            const context = element.getContext('2d');\n            if (context === null)\n                throw new Error('This browser draws no canvas');\n            this.context = context;\n            new ResizeObserver(onResize).observe(element);\n        }\n        clear() {\n            const ratio = window.devicePixelRatio;\n            this.width = this.element.clientWidth;\n            this.height = this.element.clientHeight;\n            const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];\n            if (this.element.width !== width)\n                this.element.width = width;\n            if (this.element.height !== height)\n                this.element.height = height;\n            this.context.reset();\n            this.context.setTransform(ratio, 0, 0, ratio, 0, 0);\n            return this.context;\n        }\n    }\n\n    function legible(text) {\n        return text.replace(/[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]/gu, (character) => `\\\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);\n    }\n    const scopeName = (scope) => (scope === '' ? '(no name)' : legible(scope));\n    const locale = undefined;\n    const date = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' });\n    const clock = new Intl.DateTimeFormat(locale, {\n        hour: '2-digit',\n        minute: '2-digit',\n        second: '2-digit',\n        hourCycle: 'h23',\n    });\n    const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' });\n    function fullTime(time) {\n        return `${date.format(time)}, ${clock.format(time)}.${milliseconds(time)}`;\n    }\n    const utcTime = (time) => new Date(time).toISOString();\n    const dayOf = (time) => date.format(time);\n    const clockOf = (time) => clock.format(time);\n    const minuteOf = (time) => clock.format(time).slice(0, 5);\n    const milliseconds = (time) => String(Math.floor(((time % 1000) + 1000) % 1000)).padStart(3, '0');\n    const zoneName = (time) => zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';\n    const steps = [\n        { unit: 'd', ms: 86_400_000 },\n        { unit: 'h', ms: 3_600_000 },\n        { unit: 'min', ms: 60_000 },\n        { unit: 's', ms: 1000 },\n    ];\n    function duration(ms) {\n        if (ms < 1000)\n            return `${Math.round(ms)} ms`;\n        if (ms < 59_950)\n            return `${(ms / 1000).toFixed(1)} s`;\n        const whole = Math.round(ms / 1000) * 1000;\n        const at = steps.findIndex((step) => whole >= step.ms);\n        const large = steps[at];\n        const small = steps[at + 1];\n        if (large === undefined || small === undefined)\n            return `${Math.round(ms / 1000)} s`;\n        const rest = Math.floor((whole % large.ms) / small.ms);\n        const much = `${Math.floor(whole / large.ms)} ${large.unit}`;\n        return rest === 0 ? much : `${much} ${String(rest).padStart(2, '0')} ${small.unit}`;\n    }\n    const counted = (n, one, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`;\n\n    const laneHeight = 22;\n    const barHeight = 15;\n    const headHeight = 30;\n    const groupGap = 8;\n    function layoutOf(groups, shown) {\n        const bands = [];\n        const places = new Map();\n        let y = 0;\n        for (const group of groups) {\n            const bars = group.bars.filter(shown).sort((a, b) => a.from - b.from || a.to - b.to);\n            if (bars.length === 0)\n                continue;\n            const lanes = [];\n            const ends = [];\n            for (const bar of bars) {\n                let at = ends.findIndex((end) => end <= bar.from);\n                if (at < 0)\n                    at = ends.length;\n                const lane = (lanes[at] ??= { y: y + headHeight + at * laneHeight, bars: [] });\n                lane.bars.push(bar);\n                ends[at] = Math.max(bar.to, bar.from + 1);\n                places.set(bar, lane);\n            }\n            bands.push({ group, y, count: bars.length, lanes });\n            y += headHeight + lanes.length * laneHeight + groupGap;\n        }\n        return { bands, height: y, places };\n    }\n    function firstEndingAfter(lane, time) {\n        let low = 0;\n        let high = lane.bars.length;\n        while (low < high) {\n            const middle = (low + high) >> 1;\n            if ((lane.bars[middle]?.to ?? 0) < time)\n                low = middle + 1;\n            else\n                high = middle;\n        }\n        return low;\n    }\n\n    const radius = 3.5;\n    const patterns = new Map();\n    function paintBar(context, shape, palette) {\n        const { x, y, end, state } = shape;\n        const ran = Math.min(Math.max(shape.ran, x), end);\n        const width = Math.max(end - x, 2);\n        const colour = palette.state[state];\n        if (width < 4) {\n            context.fillStyle = colour;\n            context.fillRect(x, y, width, barHeight);\n            return;\n        }\n        context.save();\n        outline(context, x, y, width, shape.isOpen);\n        context.clip();\n        if (ran > x)\n            paintWaiting(context, x, y, ran - x, colour, palette);\n        if (end > ran)\n            paintRunning(context, { ...shape, x: ran }, colour, palette);\n        context.restore();\n        context.strokeStyle = colour;\n        context.lineWidth = 1;\n        context.beginPath();\n        edge(context, x + 0.5, y + 0.5, width - 1, shape.isOpen);\n        context.stroke();\n        if (state === 'failed')\n            cross(context, end, width, y, palette);\n    }\n    function paintWaiting(context, x, y, width, colour, palette) {\n        context.fillStyle = palette.surface;\n        context.fillRect(x, y, width, barHeight);\n        context.globalAlpha = 0.22;\n        context.fillStyle = colour;\n        context.fillRect(x, y, width, barHeight);\n        context.globalAlpha = 1;\n    }\n    function paintRunning(context, shape, colour, palette) {\n        const { x, y, end, state } = shape;\n        const width = end - x;\n        if (state === 'cancelled') {\n            context.fillStyle = palette.surface;\n            context.fillRect(x, y, width, barHeight);\n            context.fillStyle = colour;\n            context.fillRect(x, y + Math.floor(barHeight / 2), width, 1);\n            return;\n        }\n        if (state === 'interrupted') {\n            context.fillStyle = palette.surface;\n            context.fillRect(x, y, width, barHeight);\n            context.fillStyle = hatch(context, colour) ?? colour;\n            context.fillRect(x, y, width, barHeight);\n            return;\n        }\n        context.fillStyle = colour;\n        if (!shape.isOpen)\n            return context.fillRect(x, y, width, barHeight);\n        const fade = Math.min(width, 28);\n        context.fillRect(x, y, width - fade, barHeight);\n        const gradient = context.createLinearGradient(end - fade, 0, end, 0);\n        gradient.addColorStop(0, colour);\n        gradient.addColorStop(1, palette.surface);\n        context.fillStyle = gradient;\n        context.fillRect(end - fade, y, fade, barHeight);\n    }\n    function hatch(context, colour) {\n        const ratio = context.getTransform().a;\n        const key = `${colour} ${ratio}`;\n        const made = patterns.get(key);\n        if (made !== undefined)\n            return made;\n        const size = 6;\n        const tile = document.createElement('canvas');\n        tile.width = tile.height = size * Math.ceil(ratio);\n        const brush = tile.getContext('2d');\n        if (brush === null)\n            return null;\n        brush.scale(tile.width / size, tile.width / size);\n        brush.strokeStyle = colour;\n        brush.lineWidth = 2.1;\n        brush.beginPath();\n        for (const shift of [-size, 0, size]) {\n            brush.moveTo(shift, size);\n            brush.lineTo(shift + size, 0);\n        }\n        brush.stroke();\n        const pattern = context.createPattern(tile, 'repeat');\n        pattern?.setTransform(new DOMMatrix().scale(size / tile.width));\n        patterns.set(key, pattern);\n        return pattern;\n    }\n    function cross(context, end, width, y, palette) {\n        if (width < 12)\n            return;\n        const half = 2.8;\n        const middle = y + barHeight / 2;\n        const at = end - 7;\n        context.strokeStyle = palette.onBar;\n        context.lineWidth = 1.6;\n        context.beginPath();\n        context.moveTo(at - half, middle - half);\n        context.lineTo(at + half, middle + half);\n        context.moveTo(at + half, middle - half);\n        context.lineTo(at - half, middle + half);\n        context.stroke();\n    }\n    function outline(context, x, y, width, isOpen) {\n        context.beginPath();\n        const right = isOpen ? 0 : radius;\n        context.roundRect(x, y, width, barHeight, [radius, right, right, radius]);\n    }\n    function edge(context, x, y, width, isOpen) {\n        const height = barHeight - 1;\n        if (!isOpen)\n            return context.roundRect(x, y, width, height, radius);\n        context.moveTo(x + width, y);\n        context.lineTo(x + radius, y);\n        context.arcTo(x, y, x, y + radius, radius);\n        context.lineTo(x, y + height - radius);\n        context.arcTo(x, y + height, x + radius, y + height, radius);\n        context.lineTo(x + width, y + height);\n    }\n    function paintRing(context, { x, end, y }, colour, width) {\n        context.strokeStyle = colour;\n        context.lineWidth = width;\n        context.beginPath();\n        const by = 1 + width / 2;\n        const length = Math.max(end - x, 2);\n        context.roundRect(x - by, y - by, length + 2 * by, barHeight + 2 * by, radius + by);\n        context.stroke();\n    }\n\n    const shortest = 20;\n    const margin = 0.02;\n    function around(bars, fallback) {\n        let from = Infinity;\n        let to = -Infinity;\n        for (const bar of bars) {\n            from = Math.min(from, bar.from);\n            to = Math.max(to, bar.to);\n        }\n        if (from > to)\n            return { from: fallback - 1000, to: fallback + 1000 };\n        const air = Math.max((to - from) * margin, shortest);\n        return { from: from - air, to: to + air };\n    }\n    function within(wanted, all) {\n        const longest = all.to - all.from;\n        const span = Math.min(Math.max(wanted.to - wanted.from, Math.min(shortest, longest)), longest);\n        const middle = (wanted.from + wanted.to) / 2;\n        const from = Math.min(Math.max(middle - span / 2, all.from), all.to - span);\n        return { from, to: from + span };\n    }\n    const zoomed = ({ from, to }, factor, at) => ({\n        from: at - (at - from) / factor,\n        to: at + (to - at) / factor,\n    });\n    const moved = ({ from, to }, by) => ({ from: from + by, to: to + by });\n    const second = 1000;\n    const minute = 60 * second;\n    const hour = 60 * minute;\n    const day = 24 * hour;\n    const spacings = [\n        ...[1, 2, 5, 10, 20, 50, 100, 200, 500],\n        ...[1, 2, 5, 10, 15, 30].map((n) => n * second),\n        ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),\n        ...[1, 2, 3, 6, 12].map((n) => n * hour),\n        ...[1, 2, 7, 14, 30, 90, 365, 730, 1825, 3650].map((n) => n * day),\n    ];\n    function ticksOf({ from, to }, room) {\n        const wanted = (to - from) * room;\n        const spacing = spacings.find((each) => each >= wanted) ?? wanted;\n        const ticks = [];\n        const offset = (time) => new Date(time).getTimezoneOffset() * minute;\n        const first = Math.ceil((from - offset(from)) / spacing) * spacing;\n        for (let local = first; ticks.length < 100; local += spacing) {\n            const at = local + offset(local + offset(from));\n            if (at > to)\n                break;\n            if (at >= from)\n                ticks.push({ at, text: tickText(at, spacing) });\n        }\n        return ticks;\n    }\n    function tickText(at, spacing) {\n        if (spacing >= day)\n            return dayOf(at);\n        if (spacing >= minute)\n            return minuteOf(at);\n        if (spacing >= second)\n            return clockOf(at);\n        return `${clockOf(at).slice(3)}.${milliseconds(at)}`;\n    }\n\n    const axisHeight = 34;\n    const slack = 3;\n    class Chart {\n        #store;\n        #canvas;\n        #marks;\n        #palette;\n        scrollTop = 0;\n        cursor;\n        constructor(store, elements, palette, onResize) {\n            this.#store = store;\n            this.#palette = palette;\n            this.#canvas = new Canvas(elements.bars, onResize);\n            this.#marks = new Canvas(elements.marks, onResize);\n        }\n        get width() {\n            return this.#canvas.element.clientWidth;\n        }\n        xOf(time) {\n            const { from, to } = this.#store.view;\n            return ((time - from) / (to - from)) * this.width;\n        }\n        timeAt(x) {\n            const { from, to } = this.#store.view;\n            return from + (x / this.width) * (to - from);\n        }\n        barAt(x, y) {\n            if (y < axisHeight)\n                return undefined;\n            const lane = this.#laneAt(y - axisHeight + this.scrollTop);\n            if (lane === undefined)\n                return undefined;\n            let best;\n            let distance = slack;\n            const first = firstEndingAfter(lane, this.timeAt(x - slack));\n            for (let at = first; at < lane.bars.length; at += 1) {\n                const bar = lane.bars[at];\n                if (bar === undefined || this.xOf(bar.from) > x + slack)\n                    break;\n                const gap = Math.max(this.xOf(bar.from) - x, x - this.xOf(bar.to), 0);\n                if (gap < distance)\n                    [best, distance] = [bar, gap];\n            }\n            return best;\n        }\n        draw() {\n            const context = this.#canvas.clear();\n            const palette = this.#palette();\n            const { width, height } = this.#canvas;\n            context.font = `12px ${palette.font}`;\n            context.textBaseline = 'middle';\n            if (this.#store.shown.length === 0)\n                return;\n            this.#grid(context, palette, width, height);\n            context.save();\n            context.beginPath();\n            context.rect(0, axisHeight, width, height - axisHeight);\n            context.clip();\n            for (const band of this.#store.layout.bands)\n                this.#band(context, palette, band, width, height);\n            context.restore();\n        }\n        drawMarks() {\n            const context = this.#marks.clear();\n            const palette = this.#palette();\n            const { width, height } = this.#marks;\n            if (this.cursor !== undefined) {\n                context.globalAlpha = 0.35;\n                context.fillStyle = palette.text;\n                context.fillRect(Math.round(this.xOf(this.cursor)), axisHeight - 7, 1, height);\n                context.globalAlpha = 1;\n            }\n            context.beginPath();\n            context.rect(0, axisHeight, width, height - axisHeight);\n            context.clip();\n            const { selected, hovered, layout } = this.#store;\n            for (const bar of [hovered, selected]) {\n                const lane = bar && layout.places.get(bar);\n                if (bar === undefined || lane === undefined)\n                    continue;\n                const y = lane.y + axisHeight - this.scrollTop + (laneHeight - barHeight) / 2;\n                paintRing(context, this.#shape(bar, y, width), palette.text, bar === selected ? 2 : 1.5);\n            }\n        }\n        #grid(context, palette, width, height) {\n            const { view, model } = this.#store;\n            const ticks = ticksOf(view, 110 / Math.max(width, 110));\n            context.fillStyle = palette.line;\n            context.fillRect(0, axisHeight - 1, width, 1);\n            context.textAlign = 'left';\n            let free = this.#day(context, palette);\n            for (const { at, text } of ticks) {\n                const x = Math.round(this.xOf(at));\n                context.fillStyle = palette.faint;\n                context.fillRect(x, axisHeight, 1, height);\n                context.fillStyle = palette.line;\n                context.fillRect(x, axisHeight - 7, 1, 7);\n                const wide = context.measureText(text).width;\n                if (x + 5 < free || x + 5 + wide > width)\n                    continue;\n                context.fillStyle = palette.quiet;\n                context.fillText(text, x + 5, axisHeight / 2);\n                free = x + 5 + wide + 8;\n            }\n            const now = Math.round(this.xOf(model.writtenAt));\n            if (now < 0 || now > width)\n                return;\n            context.fillStyle = palette.accent;\n            context.fillRect(now, axisHeight - 7, 1, height);\n        }\n        #day(context, palette) {\n            const { from, to } = this.#store.view;\n            if (to - from > 4 * 86_400_000)\n                return 0;\n            const text = dayOf(from);\n            context.fillStyle = palette.text;\n            context.fillText(text, 12, axisHeight / 2);\n            return 12 + context.measureText(text).width + 14;\n        }\n        #band(context, palette, band, width, height) {\n            const top = axisHeight - this.scrollTop;\n            const end = band.y + headHeight + band.lanes.length * laneHeight;\n            if (end + top < axisHeight || band.y + top > height)\n                return;\n            for (const lane of band.lanes) {\n                const y = lane.y + top;\n                if (y + laneHeight < axisHeight || y > height)\n                    continue;\n                this.#lane(context, palette, lane, y + (laneHeight - barHeight) / 2, width);\n            }\n            const y = Math.min(Math.max(band.y + top, axisHeight), end + top - headHeight);\n            this.#head(context, palette, band, y, width);\n        }\n        #head(context, palette, { group, count }, y, width) {\n            context.fillStyle = palette.band;\n            context.fillRect(0, y, width, headHeight - 4);\n            const middle = y + (headHeight - 4) / 2;\n            const isTurn = group.kind === 'turn';\n            const kind = isTurn ? 'Turns of session' : 'Operations of scope';\n            context.textAlign = 'left';\n            context.fillStyle = palette.quiet;\n            context.fillText(kind, 12, middle);\n            let x = 12 + context.measureText(`${kind} `).width + 2;\n            context.font = `600 12px ${palette.font}`;\n            context.fillStyle = palette.text;\n            const name = fitted(context, scopeName(group.scope), width - x - 80);\n            context.fillText(name, x, middle);\n            x += context.measureText(name).width + 10;\n            context.font = `12px ${palette.font}`;\n            context.fillStyle = palette.quiet;\n            const source = this.#store.model.namesSources ? ` · ${legible(group.source)}` : '';\n            const rest = `${count.toLocaleString()}${source}`;\n            context.fillText(fitted(context, rest, width - x - 12), x, middle);\n        }\n        #lane(context, palette, lane, y, width) {\n            const { view } = this.#store;\n            let drawn = '';\n            for (let at = firstEndingAfter(lane, view.from); at < lane.bars.length; at += 1) {\n                const bar = lane.bars[at];\n                if (bar === undefined || bar.from > view.to)\n                    break;\n                const shape = this.#shape(bar, y, width);\n                const key = `${Math.round(shape.x)} ${bar.item.state}`;\n                if (shape.end - shape.x < 1.5 && key === drawn)\n                    continue;\n                drawn = key;\n                paintBar(context, shape, palette);\n                this.#label(context, palette, bar, shape, width);\n            }\n        }\n        #shape(bar, y, width) {\n            const x = Math.max(this.xOf(bar.from), -20);\n            const end = Math.min(Math.max(this.xOf(bar.to), x + 2), width + 20);\n            const { item, isOpen } = bar;\n            const snapped = end - x < 4 ? Math.round(x) : x;\n            return { x: snapped, ran: this.xOf(bar.ran), end, y, state: item.state, isOpen };\n        }\n        #label(context, palette, bar, shape, width) {\n            const hasRun = shape.ran < shape.end - 1;\n            const left = Math.max(hasRun ? shape.ran : shape.x, 0) + 6;\n            const { state, label, id } = bar.item;\n            const isSolid = hasRun && state !== 'cancelled' && state !== 'interrupted';\n            const spared = state === 'failed' ? 14 : isSolid && bar.isOpen ? 22 : 6;\n            const room = Math.min(shape.end, width) - left - spared;\n            if (room < (hasRun && !isSolid ? 60 : 34))\n                return;\n            context.font = `11px ${palette.font}`;\n            context.textAlign = 'left';\n            const text = fitted(context, legible(label ?? id), room);\n            if (hasRun && !isSolid) {\n                context.fillStyle = palette.surface;\n                const plate = Math.min(context.measureText(text).width + 6, room + 3);\n                context.fillRect(left - 3, shape.y + 1, plate, barHeight - 2);\n            }\n            context.fillStyle = isSolid ? palette.onBar : palette.text;\n            context.fillText(text, left, shape.y + barHeight / 2 + 0.5);\n            context.font = `12px ${palette.font}`;\n        }\n        #laneAt(y) {\n            const band = this.#store.layout.bands.findLast((each) => each.y <= y);\n            if (band === undefined || y < band.y + headHeight)\n                return undefined;\n            return band.lanes[Math.floor((y - band.y - headHeight) / laneHeight)];\n        }\n    }\n    function fitted(context, text, room) {\n        if (room <= 0)\n            return '';\n        const short = text.length > 200 ? text.slice(0, 200) : text;\n        const wide = context.measureText(short).width;\n        if (wide <= room && short === text)\n            return text;\n        const keep = Math.floor((short.length * room) / wide) - 1;\n        return keep < 2 ? '' : `${short.slice(0, keep).toWellFormed()}…`;\n    }\n\n    const dragFrom = 4;\n    function listenToChart(parts) {\n        listenToWheel(parts);\n        listenToPointer(parts);\n        listenToKeys(parts);\n    }\n    function listenToWheel({ frame, chart, store }) {\n        frame.addEventListener('wheel', (event) => {\n            const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;\n            const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];\n            const { view } = store;\n            const perPixel = (view.to - view.from) / Math.max(chart.width, 1);\n            if (event.ctrlKey || event.metaKey) {\n                event.preventDefault();\n                const x = event.clientX - frame.getBoundingClientRect().left;\n                store.look(zoomed(view, Math.exp(-Math.max(-60, Math.min(60, dy)) / 120), chart.timeAt(x)));\n            }\n            else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {\n                event.preventDefault();\n                store.look(moved(view, (event.shiftKey && dx === 0 ? dy : dx) * perPixel));\n            }\n        }, { passive: false });\n    }\n    function listenToPointer({ frame, chart, store, remark, tip }) {\n        let drag;\n        const place = (event) => {\n            const box = frame.getBoundingClientRect();\n            return [event.clientX - box.left - frame.clientLeft, event.clientY - box.top - frame.clientTop];\n        };\n        frame.addEventListener('pointerdown', (event) => {\n            const [x] = place(event);\n            if (event.button !== 0 || x > chart.width)\n                return;\n            const [left, top] = [event.clientX, event.clientY];\n            drag = { x: left, y: top, lastX: left, top: frame.scrollTop, moves: false };\n        });\n        frame.addEventListener('pointermove', (event) => {\n            const [x, y] = place(event);\n            if (drag) {\n                const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];\n                if (!drag.moves && Math.hypot(dx, dy) < dragFrom)\n                    return;\n                if (!drag.moves)\n                    frame.setPointerCapture(event.pointerId);\n                drag.moves = true;\n                frame.classList.add('dragging');\n                tip(undefined, 0, 0);\n                const { view } = store;\n                const by = drag.lastX - event.clientX;\n                drag.lastX = event.clientX;\n                store.look(moved(view, (by * (view.to - view.from)) / chart.width));\n                if (event.pointerType === 'mouse')\n                    frame.scrollTop = drag.top - dy;\n                return;\n            }\n            chart.cursor = y >= 0 && x <= chart.width ? chart.timeAt(x) : undefined;\n            const bar = chart.barAt(x, y);\n            frame.classList.toggle('on-bar', bar !== undefined);\n            store.hover(bar);\n            tip(bar, event.clientX, event.clientY);\n            remark();\n        });\n        const end = (event) => {\n            if (drag && !drag.moves && event.type === 'pointerup')\n                store.select(chart.barAt(...place(event)));\n            drag = undefined;\n            frame.classList.remove('dragging');\n        };\n        frame.addEventListener('pointerup', end);\n        frame.addEventListener('pointercancel', end);\n        frame.addEventListener('pointerleave', () => {\n            chart.cursor = undefined;\n            store.hover(undefined);\n            tip(undefined, 0, 0);\n            remark();\n        });\n        frame.addEventListener('dblclick', (event) => {\n            const bar = chart.barAt(...place(event));\n            if (bar)\n                lookAt(store, bar);\n        });\n    }\n    function listenToKeys({ frame, chart, store, tip, toTable }) {\n        const middle = () => {\n            const { selected, view } = store;\n            const at = selected && (selected.from + selected.to) / 2;\n            return at !== undefined && at > view.from && at < view.to ? at : (view.from + view.to) / 2;\n        };\n        const pan = (part) => store.look(moved(store.view, (store.view.to - store.view.from) * part));\n        const step = (by) => {\n            const next = neighbour(store, by);\n            if (next === undefined)\n                return;\n            store.reveal(next);\n            store.select(next);\n        };\n        const actions = {\n            ArrowLeft: () => pan(-0.15),\n            ArrowRight: () => pan(0.15),\n            ArrowUp: () => frame.scrollBy({ top: -66 }),\n            ArrowDown: () => frame.scrollBy({ top: 66 }),\n            PageUp: () => frame.scrollBy({ top: axisHeight - frame.clientHeight }),\n            PageDown: () => frame.scrollBy({ top: frame.clientHeight - axisHeight }),\n            Home: () => store.look({ ...moved(store.view, store.all.from - store.view.from) }),\n            End: () => store.look({ ...moved(store.view, store.all.to - store.view.to) }),\n            '+': () => store.look(zoomed(store.view, 1.5, middle())),\n            '=': () => store.look(zoomed(store.view, 1.5, middle())),\n            '-': () => store.look(zoomed(store.view, 1 / 1.5, middle())),\n            '0': () => store.look(store.all),\n            n: () => step(1),\n            p: () => step(-1),\n            z: () => store.selected && lookAt(store, store.selected),\n            Enter: () => store.selected && toTable(store.selected),\n            Escape: () => {\n                tip(undefined, 0, 0);\n                store.select(undefined);\n            },\n        };\n        frame.addEventListener('keydown', (event) => {\n            if (event.ctrlKey || event.metaKey || event.altKey)\n                return;\n            const action = actions[event.key];\n            if (action === undefined || chart.width === 0)\n                return;\n            event.preventDefault();\n            action();\n        });\n    }\n    function lookAt(store, { from, to }) {\n        const span = Math.max(to - from, 50);\n        store.look({ from: from - span, to: to + span });\n    }\n    function neighbour(store, by) {\n        const inOrder = store.shown.toSorted((a, b) => a.from - b.from || a.index - b.index);\n        const { selected, view } = store;\n        if (selected === undefined) {\n            const first = inOrder.findIndex((bar) => bar.to >= view.from);\n            return inOrder[by === 1 ? Math.max(first, 0) : inOrder.length - 1];\n        }\n        return inOrder[inOrder.indexOf(selected) + by];\n    }\n\n    function byId(id, kind) {\n        const found = document.getElementById(id);\n        if (found === null || (kind && !(found instanceof kind)))\n            throw new Error(`No ${id} in the page`);\n        return found;\n    }\n    function make(tag, className = '', ...children) {\n        const element = document.createElement(tag);\n        if (className !== '')\n            element.className = className;\n        for (const child of children)\n            if (child !== undefined)\n                element.append(child);\n        return element;\n    }\n    const isolated = (className, text) => make('bdi', className, text);\n    function mark(state) {\n        const element = make('span', `mark mark-${state}`);\n        element.setAttribute('aria-hidden', 'true');\n        return element;\n    }\n\n    const stateNames = {\n        queued: 'Queued',\n        running: 'Running',\n        succeeded: 'Succeeded',\n        failed: 'Failed',\n        cancelled: 'Cancelled',\n        interrupted: 'Interrupted',\n    };\n    const states = Object.keys(stateNames);\n    function modelOf(data) {\n        const groups = new Map();\n        const bars = data.items.map((item, index) => {\n            const key = JSON.stringify([item.kind, item.source, item.scope]);\n            let group = groups.get(key);\n            if (group === undefined) {\n                const source = data.sources[item.source]?.name ?? '';\n                group = { key, kind: item.kind, scope: item.scope, source, bars: [] };\n                groups.set(key, group);\n            }\n            const bar = barOf(item, index, group, data.writtenAt);\n            group.bars.push(bar);\n            return bar;\n        });\n        const kinds = data.sources.map(({ kind }) => kind);\n        return {\n            data,\n            bars,\n            groups: [...groups.values()].sort(byKindThenScope),\n            namesSources: new Set(kinds).size < kinds.length,\n            writtenAt: data.writtenAt,\n        };\n    }\n    function barOf(item, index, group, writtenAt) {\n        const { queuedAt, startedAt, endedAt, seenAt, state } = item;\n        const from = queuedAt ?? startedAt ?? endedAt ?? seenAt ?? writtenAt;\n        const isOpen = endedAt === undefined;\n        const last = state === 'interrupted' ? (seenAt ?? startedAt ?? from) : writtenAt;\n        const to = Math.max(from, startedAt ?? from, endedAt ?? last);\n        const ran = startedAt ?? (state === 'queued' || queuedAt !== undefined ? to : from);\n        return { item, index, group, from, ran: Math.max(from, ran), to, isOpen };\n    }\n    function byKindThenScope(a, b) {\n        if (a.kind !== b.kind)\n            return a.kind === 'turn' ? -1 : 1;\n        return a.scope.localeCompare(b.scope) || a.source.localeCompare(b.source);\n    }\n    const haystacks = new WeakMap();\n    function haystack(bar) {\n        let text = haystacks.get(bar);\n        if (text === undefined) {\n            const { id, scope, label = '', state, facts = [] } = bar.item;\n            const told = facts.map(([name, value]) => `${name} ${value}`);\n            text = [id, scope, label, state, ...told].join('\\n').toLowerCase();\n            haystacks.set(bar, text);\n        }\n        return text;\n    }\n    const words = (query) => query\n        .toLowerCase()\n        .split(/\\s+/)\n        .filter((word) => word !== '');\n\n    const everything = { query: '', scope: '', hidden: new Set() };\n    class Store {\n        model;\n        filters = everything;\n        shown;\n        layout;\n        all;\n        view;\n        selected;\n        hovered;\n        #listeners = [];\n        constructor(model) {\n            this.model = model;\n            this.shown = model.bars;\n            this.layout = layoutOf(model.groups, () => true);\n            this.all = around(model.bars, model.writtenAt);\n            this.view = this.all;\n        }\n        listen(listener) {\n            this.#listeners.push(listener);\n        }\n        tell(topic) {\n            for (const listener of this.#listeners)\n                listener(topic);\n        }\n        filter(change) {\n            const wasWhole = this.view.from === this.all.from && this.view.to === this.all.to;\n            this.filters = { ...this.filters, ...change };\n            const passes = this.#passing();\n            this.shown = this.model.bars.filter(passes);\n            const kept = new Set(this.shown);\n            this.layout = layoutOf(this.model.groups, (bar) => kept.has(bar));\n            if (this.shown.length > 0)\n                this.all = around(this.shown, this.model.writtenAt);\n            this.view = wasWhole ? this.all : within(this.view, this.all);\n            if (this.selected && !kept.has(this.selected))\n                this.select(undefined);\n            this.hovered = undefined;\n            this.tell('filters');\n        }\n        look(view) {\n            this.view = within(view, this.all);\n            this.tell('view');\n        }\n        select(bar) {\n            if (this.selected === bar)\n                return;\n            this.selected = bar;\n            this.tell('selection');\n        }\n        hover(bar) {\n            if (this.hovered === bar)\n                return;\n            this.hovered = bar;\n            this.tell('hover');\n        }\n        reveal(bar) {\n            const { from, to } = this.view;\n            const seen = Math.min(bar.to, to) - Math.max(bar.from, from);\n            const span = to - from;\n            if (seen >= Math.min(bar.to - bar.from, span) * 0.5 && bar.to >= from && bar.from <= to)\n                return;\n            const middle = (bar.from + bar.to) / 2;\n            this.look({ from: middle - span / 2, to: middle + span / 2 });\n        }\n        countsByState() {\n            const passes = this.#passing({ hidden: new Set() });\n            const counts = new Map();\n            for (const bar of this.model.bars)\n                if (passes(bar))\n                    counts.set(bar.item.state, (counts.get(bar.item.state) ?? 0) + 1);\n            return counts;\n        }\n        #passing(change = {}) {\n            const { query, scope, hidden } = { ...this.filters, ...change };\n            const wanted = words(query);\n            return (bar) => !hidden.has(bar.item.state) &&\n                (scope === '' || bar.group.key === scope || bar.item.kind === scope) &&\n                wanted.every((word) => haystack(bar).includes(word));\n        }\n    }\n\n    class Controls {\n        #store;\n        #search = byId('search', HTMLInputElement);\n        #scope = byId('scope', HTMLSelectElement);\n        #buttons = new Map();\n        constructor(store) {\n            this.#store = store;\n            fillScopes(this.#scope, store.model);\n            this.#fillStates();\n            this.#search.addEventListener('input', () => store.filter({ query: this.#search.value }));\n            this.#scope.addEventListener('change', () => store.filter({ scope: this.#scope.value }));\n            for (const button of document.querySelectorAll('[data-action=\"clear\"]'))\n                button.addEventListener('click', () => store.filter(everything));\n            document.addEventListener('keydown', (event) => {\n                const typing = event.target instanceof HTMLInputElement;\n                if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {\n                    event.preventDefault();\n                    this.#search.select();\n                }\n                if (event.key === 'Escape' && event.target === this.#search)\n                    store.filter({ query: '' });\n            });\n        }\n        show() {\n            const { query, scope, hidden } = this.#store.filters;\n            if (this.#search.value !== query)\n                this.#search.value = query;\n            this.#scope.value = scope;\n            const counts = this.#store.countsByState();\n            for (const [state, { button, count }] of this.#buttons) {\n                button.setAttribute('aria-pressed', String(!hidden.has(state)));\n                count.textContent = (counts.get(state) ?? 0).toLocaleString();\n            }\n            const [shown, all] = [this.#store.shown.length, this.#store.model.bars.length];\n            const told = shown === all ? counted(all, 'row') : `${shown.toLocaleString()} of ${counted(all, 'row')}`;\n            byId('count').textContent = told;\n            byId('clear').hidden = query === '' && scope === '' && hidden.size === 0;\n        }\n        #fillStates() {\n            const list = byId('states');\n            for (const state of states) {\n                const count = make('span', 'count');\n                const button = make('button', 'chip', mark(state), stateNames[state], count);\n                button.type = 'button';\n                button.dataset['state'] = state;\n                button.addEventListener('click', () => {\n                    const hidden = new Set(this.#store.filters.hidden);\n                    if (!hidden.delete(state))\n                        hidden.add(state);\n                    this.#store.filter({ hidden });\n                });\n                this.#buttons.set(state, { button, count });\n                list.append(button);\n            }\n        }\n    }\n    function fillScopes(select, model) {\n        select.append(new Option('Everything', ''));\n        for (const kind of ['turn', 'operation']) {\n            const groups = model.groups.filter((group) => group.kind === kind);\n            if (groups.length === 0)\n                continue;\n            const section = make('optgroup');\n            section.label = kind === 'turn' ? 'Turns' : 'Operations';\n            section.append(new Option(kind === 'turn' ? 'All turns' : 'All operations', kind));\n            for (const group of groups)\n                section.append(new Option(optionText(group, model), group.key));\n            select.append(section);\n        }\n    }\n    function optionText(group, model) {\n        const kind = group.kind === 'turn' ? 'session' : 'scope';\n        const source = model.namesSources ? ` · ${legible(group.source)}` : '';\n        return `${kind} ${scopeName(group.scope)}${source} (${group.bars.length.toLocaleString()})`;\n    }\n    function filtersFrom(hash, model) {\n        const given = new URLSearchParams(hash.replace(/^#/, ''));\n        const scope = given.get('scope') ?? '';\n        const isKnown = scope === 'turn' || scope === 'operation' || model.groups.some(({ key }) => key === scope);\n        const hidden = (given.get('without') ?? '').split(' ');\n        return {\n            query: given.get('search') ?? '',\n            scope: isKnown ? scope : '',\n            hidden: new Set(states.filter((state) => hidden.includes(state))),\n        };\n    }\n    function hashOf({ query, scope, hidden }) {\n        const told = new URLSearchParams();\n        if (query !== '')\n            told.set('search', query);\n        if (scope !== '')\n            told.set('scope', scope);\n        if (hidden.size > 0)\n            told.set('without', [...hidden].join(' '));\n        return String(told);\n    }\n\n    const inShort = new Set(['Error', 'Stage', 'Label', 'Progress']);\n    function rowsOf(bar, model, inFull) {\n        const { item } = bar;\n        const told = (item.facts ?? []).filter(([name]) => inFull || inShort.has(name));\n        const [errors, others] = [true, false].map((isError) => told\n            .filter(([name]) => (name === 'Error') === isError)\n            .map(([name, value]) => [name, isolated(isError ? 'error' : '', legible(value))]));\n        const rows = [\n            ...(errors ?? []),\n            [item.kind === 'turn' ? 'Session' : 'Scope', isolated('', scopeName(item.scope))],\n            ...timesOf(bar, inFull),\n            ...(others ?? []),\n        ];\n        if (inFull || model.namesSources)\n            rows.push(['Read from', isolated('', legible(bar.group.source))]);\n        return rows;\n    }\n    function timesOf(bar, inFull) {\n        const { queuedAt, startedAt, endedAt, seenAt, state } = bar.item;\n        const rows = [];\n        const waited = bar.ran - bar.from;\n        if (queuedAt !== undefined && (waited > 0 || startedAt === undefined))\n            rows.push(['Waited', duration(waited)]);\n        if (startedAt !== undefined) {\n            const known = state === 'interrupted' ? ', as far as is known' : ' so far';\n            rows.push(['Ran', duration(bar.to - bar.ran) + (bar.isOpen ? known : '')]);\n        }\n        const stamp = (name, time) => {\n            if (time === undefined)\n                return;\n            const shown = make('span', '', fullTime(time));\n            if (inFull)\n                shown.append(make('span', 'utc', utcTime(time)));\n            rows.push([name, shown]);\n        };\n        stamp('Queued', queuedAt);\n        stamp('Started', startedAt);\n        if (endedAt === undefined)\n            rows.push(['Ended', 'no end is recorded']);\n        else\n            stamp('Ended', endedAt);\n        if (inFull && seenAt !== endedAt)\n            stamp('Last learnt', seenAt);\n        return rows;\n    }\n    function listOf(rows) {\n        const list = make('dl', 'facts');\n        for (const [name, value] of rows)\n            list.append(make('dt', '', name), make('dd', '', value));\n        return list;\n    }\n    const heading = ({ item }) => make('div', 'what', make('span', 'pill', mark(item.state), stateNames[item.state]), make('span', 'kind', item.kind === 'turn' ? 'Turn' : 'Operation'));\n    class Tip {\n        #element = byId('tip');\n        #model;\n        #bar;\n        constructor(model) {\n            this.#model = model;\n        }\n        show(bar, x, y) {\n            this.#element.hidden = bar === undefined;\n            if (bar === undefined)\n                return void (this.#bar = undefined);\n            if (bar !== this.#bar) {\n                this.#element.replaceChildren(heading(bar), isolated('id', legible(bar.item.id)), listOf(rowsOf(bar, this.#model, false)));\n                this.#bar = bar;\n            }\n            const { offsetWidth: width, offsetHeight: height } = this.#element;\n            const left = x + 16 + width > innerWidth ? Math.max(x - 16 - width, 4) : x + 16;\n            const top = Math.max(4, Math.min(y + 16, innerHeight - height - 8));\n            this.#element.style.transform = `translate(${left}px, ${top}px)`;\n        }\n    }\n    class Panel {\n        #element = byId('details');\n        #store;\n        constructor(store) {\n            this.#store = store;\n        }\n        show(bar) {\n            this.#element.hidden = bar === undefined;\n            if (bar === undefined)\n                return this.#element.replaceChildren();\n            const close = make('button', 'quiet', 'Close');\n            close.type = 'button';\n            close.addEventListener('click', () => this.#store.select(undefined));\n            const look = make('button', 'quiet', 'Zoom to it');\n            look.type = 'button';\n            look.addEventListener('click', () => lookAt(this.#store, bar));\n            const title = make('h2', 'id', isolated('', legible(bar.item.id)));\n            const top = make('div', 'top', heading(bar), make('div', 'buttons', look, close));\n            this.#element.replaceChildren(top, title, listOf(rowsOf(bar, this.#store.model, true)));\n            this.#element.scrollTop = 0;\n        }\n    }\n    function spoken({ item, ran, from, to, isOpen }) {\n        const kind = item.kind === 'turn' ? 'turn' : 'operation';\n        const waited = ran > from ? `, waited ${duration(ran - from)}` : '';\n        const whole = `${duration(to - ran)}${isOpen ? ', without an end' : ''}`;\n        return `${kind} ${legible(item.id)}, ${stateNames[item.state]}${waited}, ran ${whole}`;\n    }\n\n    const base = 4;\n    class Overview {\n        #store;\n        #canvas;\n        #palette;\n        constructor(store, element, palette, onResize) {\n            this.#store = store;\n            this.#palette = palette;\n            this.#canvas = new Canvas(element, onResize);\n            this.#listen(element);\n        }\n        draw() {\n            const context = this.#canvas.clear();\n            const { width, height } = this.#canvas;\n            const palette = this.#palette();\n            const { all, view } = this.#store;\n            const scale = width / (all.to - all.from);\n            const { busy, failed } = this.#counts(Math.max(Math.round(width), 1), scale);\n            const most = Math.sqrt(Math.max(1, ...busy));\n            context.fillStyle = palette.state.running;\n            context.globalAlpha = 0.45;\n            for (const [x, count] of busy.entries()) {\n                if (count === 0)\n                    continue;\n                const tall = Math.max((Math.sqrt(count) / most) * (height - base - 6), 2);\n                context.fillRect(x, height - base - tall, 1, tall);\n            }\n            context.globalAlpha = 1;\n            context.fillStyle = palette.state.failed;\n            for (const [x, count] of failed.entries())\n                if (count > 0)\n                    context.fillRect(x, height - base, 1.5, base);\n            const left = Math.max((view.from - all.from) * scale, 0);\n            const right = Math.min((view.to - all.from) * scale, width);\n            if (right - left > width - 1)\n                return;\n            context.fillStyle = palette.band;\n            context.globalAlpha = 0.75;\n            context.fillRect(0, 0, left, height);\n            context.fillRect(right, 0, width - right, height);\n            context.globalAlpha = 1;\n            context.strokeStyle = palette.accent;\n            context.lineWidth = 1.5;\n            context.beginPath();\n            context.roundRect(left + 1, 1, Math.max(right - left - 2, 3), height - 2, 4);\n            context.stroke();\n        }\n        #counts(width, scale) {\n            const { all, shown } = this.#store;\n            const busy = new Int32Array(width + 1);\n            const failed = new Int32Array(width);\n            const pixel = (time) => Math.min(Math.max(Math.floor((time - all.from) * scale), 0), width - 1);\n            for (const bar of shown) {\n                const [from, to] = [pixel(bar.from), pixel(bar.to)];\n                busy[from] = (busy[from] ?? 0) + 1;\n                busy[to + 1] = (busy[to + 1] ?? 0) - 1;\n                if (bar.item.state === 'failed')\n                    failed[to] = (failed[to] ?? 0) + 1;\n            }\n            for (let x = 1; x <= width; x += 1)\n                busy[x] = (busy[x] ?? 0) + (busy[x - 1] ?? 0);\n            return { busy: busy.subarray(0, width), failed };\n        }\n        #listen(element) {\n            const go = (event) => {\n                const { all, view } = this.#store;\n                const box = element.getBoundingClientRect();\n                const at = all.from + ((event.clientX - box.left) / box.width) * (all.to - all.from);\n                const half = (view.to - view.from) / 2;\n                this.#store.look({ from: at - half, to: at + half });\n            };\n            element.addEventListener('pointerdown', (event) => {\n                element.setPointerCapture(event.pointerId);\n                go(event);\n            });\n            element.addEventListener('pointermove', (event) => {\n                if (element.hasPointerCapture(event.pointerId))\n                    go(event);\n            });\n            element.addEventListener('wheel', (event) => {\n                event.preventDefault();\n                const { view } = this.#store;\n                const middle = (view.from + view.to) / 2;\n                this.#store.look(zoomed(view, Math.exp(-event.deltaY / 240), middle));\n            }, { passive: false });\n        }\n    }\n\n    function paletteOf(element) {\n        const probe = make('span', 'unseen');\n        element.append(probe);\n        const style = getComputedStyle(probe);\n        const read = (name) => {\n            probe.style.color = `var(--${name})`;\n            return style.color;\n        };\n        const colours = states.map((state) => [state, read(state)]);\n        const palette = {\n            state: Object.fromEntries(colours),\n            surface: read('surface'),\n            band: read('band'),\n            line: read('line'),\n            faint: read('faint'),\n            text: read('text'),\n            quiet: read('quiet'),\n            accent: read('accent'),\n            onBar: read('on-bar'),\n            font: style.fontFamily,\n        };\n        probe.remove();\n        return palette;\n    }\n\n    const rowHeight = 48;\n    const spare = 6;\n    const orders = {\n        state: (a, b) => states.indexOf(a.item.state) - states.indexOf(b.item.state),\n        id: (a, b) => a.item.id.localeCompare(b.item.id),\n        start: (a, b) => a.from - b.from,\n        duration: (a, b) => a.to - a.ran - (b.to - b.ran),\n    };\n    class Table {\n        #store;\n        #frame = byId('rows');\n        #body = byId('rows-body', HTMLTableSectionElement);\n        #table = byId('rows-table', HTMLTableElement);\n        #rows = [];\n        #order = 'start';\n        #descends = true;\n        #at = 0;\n        #drawn = '';\n        constructor(store) {\n            this.#store = store;\n            this.#frame.addEventListener('scroll', () => this.draw());\n            new ResizeObserver(() => this.draw()).observe(this.#frame);\n            this.#body.addEventListener('click', (event) => this.#press(event));\n            this.#body.addEventListener('dblclick', () => store.selected && lookAt(store, store.selected));\n            this.#body.addEventListener('pointerover', (event) => store.hover(this.#barOf(event.target)));\n            this.#body.addEventListener('pointerleave', () => store.hover(undefined));\n            this.#body.addEventListener('keydown', (event) => this.#key(event));\n            for (const head of this.#table.querySelectorAll('th[data-order]'))\n                head.querySelector('button')?.addEventListener('click', () => this.#sort(head));\n        }\n        fill() {\n            const order = orders[this.#order] ?? (() => 0);\n            const sign = this.#descends ? -1 : 1;\n            this.#rows = this.#store.shown.toSorted((a, b) => sign * (order(a, b) || a.index - b.index));\n            this.#at = Math.max(this.#store.selected ? this.#rows.indexOf(this.#store.selected) : 0, 0);\n            this.#table.setAttribute('aria-rowcount', String(this.#rows.length + 1));\n            this.#drawn = '';\n            this.draw();\n        }\n        draw() {\n            const { scrollTop, clientHeight } = this.#frame;\n            const first = Math.max(Math.floor(scrollTop / rowHeight) - spare, 0);\n            const last = Math.min(Math.ceil((scrollTop + clientHeight) / rowHeight) + spare, this.#rows.length);\n            const drawn = [first, last, this.#at].join(' ');\n            if (drawn !== this.#drawn) {\n                this.#drawn = drawn;\n                this.#fillBody(first, last);\n            }\n            this.#mark();\n        }\n        show(bar, takesFocus) {\n            const at = this.#rows.indexOf(bar);\n            if (at < 0)\n                return;\n            this.#at = at;\n            this.#scrollTo(at);\n            this.draw();\n            if (takesFocus)\n                this.#focused()?.focus({ preventScroll: true });\n        }\n        #fillBody(first, last) {\n            const focused = this.#body.contains(document.activeElement);\n            const at = this.#at;\n            const rows = [];\n            if (at < first)\n                rows.push(gap(at), ...this.#row(at), gap(first - at - 1));\n            else\n                rows.push(gap(first));\n            for (let each = first; each < last; each += 1)\n                rows.push(...this.#row(each));\n            if (at >= last && last < this.#rows.length)\n                rows.push(gap(at - last), ...this.#row(at), gap(this.#rows.length - at - 1));\n            else\n                rows.push(gap(this.#rows.length - last));\n            this.#body.replaceChildren(...rows);\n            if (focused)\n                this.#focused()?.focus({ preventScroll: true });\n        }\n        #mark() {\n            const { selected, hovered } = this.#store;\n            for (const row of this.#body.querySelectorAll('tr[data-at]')) {\n                const bar = this.#rows[Number(row.dataset['at'])];\n                row.setAttribute('aria-selected', String(bar === selected));\n                row.classList.toggle('hovered', bar === hovered);\n            }\n        }\n        #row(at) {\n            const bar = this.#rows[at];\n            if (bar === undefined)\n                return [];\n            const { item } = bar;\n            const state = make('td', 'state', mark(item.state), make('span', '', stateNames[item.state]));\n            const scope = `${item.kind === 'turn' ? 'turn of ' : ''}${scopeName(item.scope)}`;\n            const label = item.label === undefined ? '' : ` · ${legible(item.label)}`;\n            const id = make('td', 'name', isolated('id', legible(item.id)), isolated('under', `${scope}${label}`));\n            const when = make('td', 'when', make('span', '', `${clockOf(bar.from)}.${milliseconds(bar.from)}`), make('span', 'under', dayOf(bar.from)));\n            const waited = bar.ran > bar.from ? `waited ${duration(bar.ran - bar.from)}` : '';\n            const ran = bar.ran < bar.to || waited === '' ? duration(bar.to - bar.ran) : '–';\n            const long = make('td', 'long', make('span', '', bar.isOpen && ran !== '–' ? `${ran} +` : ran), make('span', 'under', waited));\n            const row = make('tr', '', state, id, when, long);\n            row.dataset['at'] = String(at);\n            row.tabIndex = at === this.#at ? 0 : -1;\n            row.setAttribute('aria-rowindex', String(at + 2));\n            return [row];\n        }\n        #press(event) {\n            const bar = this.#barOf(event.target);\n            if (bar === undefined)\n                return;\n            this.#at = this.#rows.indexOf(bar);\n            this.#store.reveal(bar);\n            this.#store.select(bar);\n            this.draw();\n            this.#focused()?.focus({ preventScroll: true });\n        }\n        #key(event) {\n            if (event.ctrlKey || event.metaKey || event.altKey)\n                return;\n            const page = Math.max(Math.floor(this.#frame.clientHeight / rowHeight) - 2, 1);\n            const steps = {\n                ArrowDown: this.#at + 1,\n                ArrowUp: this.#at - 1,\n                PageDown: this.#at + page,\n                PageUp: this.#at - page,\n                Home: 0,\n                End: this.#rows.length - 1,\n            };\n            const to = steps[event.key];\n            const bar = this.#rows[this.#at];\n            if (to !== undefined) {\n                this.#at = Math.min(Math.max(to, 0), this.#rows.length - 1);\n                this.#scrollTo(this.#at);\n                this.draw();\n                this.#focused()?.focus({ preventScroll: true });\n            }\n            else if ((event.key === 'Enter' || event.key === ' ') && bar) {\n                this.#store.reveal(bar);\n                this.#store.select(bar);\n            }\n            else if (event.key === 'z' && bar) {\n                this.#store.select(bar);\n                lookAt(this.#store, bar);\n            }\n            else if (event.key === 'Escape') {\n                this.#store.select(undefined);\n            }\n            else\n                return;\n            event.preventDefault();\n        }\n        #sort(head) {\n            const order = head.dataset['order'] ?? 'start';\n            this.#descends =\n                order === this.#order ? !this.#descends : order === 'start' || order === 'duration';\n            this.#order = order;\n            for (const each of this.#table.querySelectorAll('th[data-order]')) {\n                if (each === head)\n                    each.setAttribute('aria-sort', this.#descends ? 'descending' : 'ascending');\n                else\n                    each.removeAttribute('aria-sort');\n            }\n            this.fill();\n            this.#frame.scrollTop = 0;\n        }\n        #scrollTo(at) {\n            const head = this.#table.tHead?.offsetHeight ?? 0;\n            const { scrollTop, clientHeight } = this.#frame;\n            const top = at * rowHeight;\n            if (top < scrollTop)\n                this.#frame.scrollTop = top;\n            else if (top + rowHeight + head > scrollTop + clientHeight)\n                this.#frame.scrollTop = top + rowHeight + head - clientHeight;\n        }\n        #focused() {\n            return this.#body.querySelector('tr[tabindex=\"0\"]');\n        }\n        #barOf(target) {\n            const row = target instanceof Element ? target.closest('tr[data-at]') : null;\n            return row ? this.#rows[Number(row.dataset['at'])] : undefined;\n        }\n    }\n    function gap(rows) {\n        const row = make('tr', 'gap', make('td'));\n        row.setAttribute('aria-hidden', 'true');\n        row.style.height = `${rows * rowHeight}px`;\n        return row;\n    }\n\n    const themes = ['auto', 'light', 'dark'];\n    const names = { auto: 'Auto', light: 'Light', dark: 'Dark' };\n    const slot = 'tenure-timeline-theme';\n    function listenToTheme(onChange) {\n        const button = byId('theme');\n        let theme = remembered();\n        const apply = () => {\n            if (theme === 'auto')\n                delete document.documentElement.dataset['theme'];\n            else\n                document.documentElement.dataset['theme'] = theme;\n            byId('theme-name').textContent = names[theme];\n            button.setAttribute('aria-label', `Theme: ${names[theme]}. Change`);\n            onChange();\n        };\n        button.addEventListener('click', () => {\n            theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';\n            remember(theme);\n            apply();\n        });\n        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange);\n        apply();\n    }\n    function remembered() {\n        try {\n            const kept = localStorage.getItem(slot);\n            return themes.find((theme) => theme === kept) ?? 'auto';\n        }\n        catch {\n            return 'auto';\n        }\n    }\n    function remember(theme) {\n        try {\n            localStorage.setItem(slot, theme);\n        }\n        catch { }\n    }\n\n    function start() {\n        const data = JSON.parse(byId('data').textContent ?? '');\n        const model = modelOf(data);\n        introduce(model);\n        const store = new Store(model);\n        const controls = new Controls(store);\n        const table = new Table(store);\n        const panel = new Panel(store);\n        const tip = new Tip(model);\n        const frame = byId('chart');\n        let palette;\n        const colours = () => (palette ??= paletteOf(document.body));\n        let due = 'nothing';\n        const draw = (what) => {\n            if (due === 'nothing')\n                requestAnimationFrame(drawDue);\n            if (due !== 'all')\n                due = what;\n        };\n        const drawDue = () => {\n            const whole = due === 'all';\n            due = 'nothing';\n            chart.scrollTop = frame.scrollTop;\n            if (whole) {\n                chart.draw();\n                overview.draw();\n            }\n            chart.drawMarks();\n        };\n        const redraw = () => draw('all');\n        const canvases = {\n            bars: byId('bars', HTMLCanvasElement),\n            marks: byId('marks', HTMLCanvasElement),\n        };\n        const chart = new Chart(store, canvases, colours, redraw);\n        const overview = new Overview(store, byId('overview', HTMLCanvasElement), colours, redraw);\n        frame.addEventListener('scroll', redraw, { passive: true });\n        listenToChart({\n            frame,\n            chart,\n            store,\n            remark: () => draw('marks'),\n            tip: (bar, x, y) => tip.show(bar, x, y),\n            toTable: (bar) => table.show(bar, true),\n        });\n        listenToButtons(store);\n        listenToTheme(() => {\n            palette = undefined;\n            redraw();\n        });\n        const react = {\n            filters: () => {\n                byId('lanes').style.height = `${axisHeight + store.layout.height}px`;\n                byId('nothing').hidden = store.shown.length > 0 || model.bars.length === 0;\n                controls.show();\n                table.fill();\n                const hash = hashOf(store.filters);\n                if (hash !== location.hash.slice(1))\n                    history.replaceState(null, '', `#${hash}`);\n            },\n            view: () => tip.show(undefined, 0, 0),\n            hover: () => table.draw(),\n            selection: () => {\n                panel.show(store.selected);\n                if (!store.selected)\n                    return table.draw();\n                const lane = store.layout.places.get(store.selected);\n                if (lane)\n                    scrollInto(frame, lane.y);\n                table.show(store.selected, false);\n                byId('spoken').textContent = spoken(store.selected);\n            },\n        };\n        store.listen((topic) => {\n            react[topic]();\n            draw(topic === 'hover' || topic === 'selection' ? 'marks' : 'all');\n        });\n        addEventListener('hashchange', () => store.filter(filtersFrom(location.hash, model)));\n        store.filter(filtersFrom(location.hash, model));\n        store.look(store.all);\n    }\n    function introduce(model) {\n        const { sources, notes, items, writtenAt } = model.data;\n        const turns = items.filter(({ kind }) => kind === 'turn').length;\n        const amounts = [\n            ...(items.length - turns > 0 ? [counted(items.length - turns, 'operation')] : []),\n            ...(turns > 0 ? [counted(turns, 'turn')] : []),\n        ];\n        const parts = [\n            ...(amounts.length > 0 ? [amounts.join(' and ')] : []),\n            `written ${fullTime(writtenAt).slice(0, -4)} (${zoneName(writtenAt)})`,\n        ];\n        byId('about').textContent = parts.join(' · ');\n        const list = byId('sources');\n        for (const { kind, name } of sources) {\n            const what = kind === 'journal' ? 'Journal' : 'Turns';\n            list.append(make('li', '', `${what} `, isolated('path', legible(name))));\n        }\n        for (const note of notes)\n            list.append(make('li', 'note', isolated('', legible(note))));\n        list.hidden = list.childElementCount === 0;\n        byId('empty').hidden = items.length > 0;\n        byId('work').hidden = items.length === 0;\n        byId('tools').hidden = items.length === 0;\n    }\n    function listenToButtons(store) {\n        const zoom = (factor) => {\n            const { from, to } = store.view;\n            store.look(zoomed(store.view, factor, (from + to) / 2));\n        };\n        byId('zoom-in').addEventListener('click', () => zoom(1.6));\n        byId('zoom-out').addEventListener('click', () => zoom(1 / 1.6));\n        byId('fit').addEventListener('click', () => store.look(store.all));\n    }\n    function scrollInto(frame, y) {\n        const room = frame.clientHeight - axisHeight;\n        if (y < frame.scrollTop + 34)\n            frame.scrollTop = y - 40;\n        else if (y + 34 > frame.scrollTop + room)\n            frame.scrollTop = y + 60 - room;\n    }\n    start();\n\n})();\n";

/** What every page begins with, and by which one is known again. */
const beginning = '<!doctype html>\n<!-- tenure timeline -->\n';
/** The whole text of a page: one file that asks for nothing else. */
function page$1(data) {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    // Text goes in as text: what would parse it as HTML throws.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `${beginning}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>tenure timeline</title>
<style>${style}</style>
</head>
<body>
${markup}
<script type="application/json" id="data">${embedded(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}
const digest = (text) => `sha256-${node_crypto.createHash('sha256').update(text).digest('base64')}`;
const escapes = /[<>&\u2028\u2029]/g;
/** JSON that ends no script, opens no comment and is text in any position. */
function embedded(value) {
  return JSON.stringify(value).replace(
    escapes,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The six states of an operation; a turn has the same. */
const states = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'];

/** The turns of a file of JSON Lines. Lines of another `type` are somebody else's. */
async function readTurns(path, source, wanted) {
  const input = node_fs.createReadStream(path, 'utf8');
  const lines = node_readline.createInterface({ input, crlfDelay: Infinity });
  return collectTurns(lines, source, wanted);
}
async function collectTurns(lines, source, wanted) {
  const turns = new Map();
  let skipped = 0;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const turn = parsed(line);
    if (turn === 'other') continue;
    if (turn === undefined) {
      skipped += 1;
      continue;
    }
    if (wanted !== undefined && !wanted.includes(turn.sessionId)) continue;
    const key = JSON.stringify([turn.sessionId, turn.turnId, turn.runId ?? '']);
    turns.set(key, { ...turns.get(key), ...turn });
  }
  return { items: [...turns.values()].map((turn) => turnItem(turn, source)), skipped };
}
const texts = ['runId', 'kind', 'parentTurnId', 'label', 'error'];
const times = ['queuedAt', 'startedAt', 'endedAt', 'seenAt'];
/** The last instant of a JavaScript Date. */
const lastInstant = 8.64e15;
function parsed(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'other';
  const given = value;
  if (given['type'] !== 'turn') return 'other';
  const { sessionId, turnId, state } = given;
  if (typeof sessionId !== 'string' || typeof turnId !== 'string') return undefined;
  if (!states.some((known) => known === state)) return undefined;
  const turn = { type: 'turn', sessionId, turnId, state };
  for (const name of texts) {
    const text = given[name] ?? undefined;
    if (text === undefined) continue;
    if (typeof text !== 'string') return undefined;
    turn[name] = text;
  }
  for (const name of times) {
    const time = given[name] ?? undefined;
    if (time === undefined) continue;
    if (typeof time !== 'number' || !(time >= 0 && time <= lastInstant)) return undefined;
    turn[name] = time;
  }
  return turn;
}
function turnItem(turn, source) {
  const { sessionId, turnId, runId, state, queuedAt, startedAt, endedAt, seenAt } = turn;
  const facts = [];
  if (turn.error !== undefined) facts.push(['Error', turn.error]);
  if (turn.label !== undefined) facts.push(['Label', turn.label]);
  if (turn.kind !== undefined) facts.push(['Kind', turn.kind]);
  if (turn.parentTurnId !== undefined) facts.push(['Parent turn', turn.parentTurnId]);
  if (runId !== undefined) facts.push(['Run', runId]);
  return {
    kind: 'turn',
    id: turnId,
    scope: sessionId,
    source,
    state,
    ...(turn.label === undefined ? {} : { label: turn.label }),
    ...(queuedAt === undefined ? {} : { queuedAt }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(seenAt === undefined ? {} : { seenAt }),
    facts,
  };
}

/** A page is not written over a file that is something else: `ERR_TIMELINE_EXISTS`. */
class TimelineExists extends Error {
  code = 'ERR_TIMELINE_EXISTS';
  path;
  constructor(file) {
    super(`${file} is there and is no timeline; choose another name, or replace it with --force`);
    this.name = 'TimelineExists';
    this.path = file;
  }
}
/** Reads everything, then writes the page in one step. */
async function timeline(options) {
  const { file, force = false } = options;
  if (!force && (await isSomethingElse(file))) throw new TimelineExists(file);
  const data = await gathered(options);
  const text = page$1(data);
  await writeAside(file, text);
  const operations = data.items.filter(({ kind }) => kind === 'operation').length;
  return {
    file,
    operations,
    turns: data.items.length - operations,
    bytes: Buffer.byteLength(text),
    notes: data.notes,
  };
}
/** The data of a page. Journals are open only while they are read. */
async function gathered(options) {
  const { journals, turns, scopes, openRows, now = Date.now } = options;
  const sources = [];
  const items = [];
  const notes = [];
  for (const name of journals) {
    const rows = await openRows(name);
    try {
      for (const item of operationItems(rows, sources.length, scopes)) items.push(item);
    } finally {
      await rows.close();
    }
    sources.push({ kind: 'journal', name });
  }
  for (const name of turns) {
    const read = await readTurns(name, sources.length, scopes);
    for (const item of read.items) items.push(item);
    sources.push({ kind: 'turns', name });
    if (read.skipped > 0) notes.push(`${name}: ${counted(read.skipped, 'line')} could not be read`);
  }
  return { writtenAt: now(), sources, items, notes };
}
/** What the person is told of a page that was written. */
function timelineSaid({ file, operations, turns, bytes, notes }) {
  const amounts = `${counted(operations, 'operation')}, ${counted(turns, 'turn')}`;
  const size = `${Math.ceil(bytes / 1024)} KB`;
  return [`Wrote ${file}: ${amounts}, ${size}.`, ...notes.map((note) => `${note}.`), ''].join('\n');
}
const counted = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
async function isSomethingElse(file) {
  const handle = await promises.open(file, 'r').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginning.length), 0);
    return bytesRead > 0 && buffer.toString('latin1', 0, bytesRead) !== beginning;
  } finally {
    await handle.close();
  }
}
/** For its owner's eyes, as a journal is. */
async function writeAside(file, text) {
  const aside = path.join(path.dirname(file), `.tenure-${node_crypto.randomUUID()}.part`);
  try {
    await promises.writeFile(aside, text, { mode: 0o600, flag: 'wx' });
    await promises.rename(aside, file);
  } catch (error) {
    await promises.rm(aside, { force: true });
    throw error;
  }
}

// `tenure timeline`: reads its words, writes the page, and says so.
function wordsOf(argv) {
  try {
    return timelineArguments(argv, process.env);
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    throw new UsageError(`${error.message}\nSee tenure timeline --help.`);
  }
}
const timelineEntry = (output) => ({
  summary: timelineSummary,
  run: async (argv) => {
    const asked = wordsOf(argv);
    if (asked === 'help') {
      await output().text(timelineHelp);
      return EXIT.done;
    }
    const written = await timeline({ ...asked, openRows: openToRead });
    await (asked.json
      ? output().line(json(written))
      : output().text(safeLines(timelineSaid(written))));
    return EXIT.done;
  },
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
  timeline: timelineEntry(output),
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
