// Built from lib/ by `npm run build`. Change it there.
'use strict';

const process = require('node:process');
const node_timers = require('node:timers');
const node_vm = require('node:vm');
const node_util = require('node:util');

/** What the addon is built for, `napi.targets` of package.json, as people call it. */
const SYSTEMS = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};
const ARCHITECTURES = ['arm64', 'x64'];
const SUPPORTED = 'macOS, Linux (glibc or musl) and Windows, each on arm64 and x64';
/** The C library that this very process runs on, whatever the machine has besides. */
function libc() {
  // What the sockets are connected to would be looked up by name.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport();
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
/** Undefined where there is no addon. */
function platform() {
  const { platform: system, arch } = process;
  const name = SYSTEMS[system];
  if (name === undefined || !ARCHITECTURES.includes(arch)) return undefined;
  const triple = `tenure-${system}-${arch}`;
  if (system === 'win32') return { packageName: `${triple}-msvc`, label: `${name} ${arch}` };
  if (system !== 'linux') return { packageName: triple, label: `${name} ${arch}` };
  const library = libc();
  return {
    packageName: `${triple}-${library === 'glibc' ? 'gnu' : library}`,
    label: `${name} ${arch} with ${library}`,
  };
}
const unsupported = () =>
  `tenure has no addon for ${process.platform} ${process.arch}. There is one for ${SUPPORTED}.`;
const missing = ({ packageName, label }, version) =>
  `tenure cannot load its addon for ${label}: the package ${packageName} is not installed. ` +
  'It is an optional dependency of tenure: install again without leaving those out. If a lock file ' +
  'from another system lacks it, remove the lock file and node_modules and install again on this ' +
  `one, or add it by its name: npm install ${packageName}@${version}`;
const broken = ({ packageName, label }, why) =>
  `tenure cannot load its addon for ${label}: ${packageName} is installed, but loading it failed. ` +
  `${why} It may be damaged, or need a newer system than this one: remove node_modules and ` +
  'install again on this system.';
const misnamed = (path, why) =>
  `tenure cannot load its addon: NAPI_RS_NATIVE_LIBRARY_PATH names ${path}, and loading that ` +
  `failed. ${why} Correct the variable, or unset it to use the installed package.`;
const mismatched = (version, found = 'unknown', path) =>
  `tenure ${version} has loaded an addon of version ${found}, and needs one of its own version. ` +
  (path === undefined
    ? 'Install tenure again, so that its platform package has the same version.'
    : `NAPI_RS_NATIVE_LIBRARY_PATH names it: ${path}`);

/*
 * The addon, found by the loader that napi makes. Where that fails, what is thrown is one error that
 * names what is missing and the way out; `code` is one of Node's own, `cause` what the loader tried.
 * `require` is that of index.js, which all of lib/ is bundled into.
 */
const { version } = require('./package.json');
const override = process.env.NAPI_RS_NATIVE_LIBRARY_PATH || undefined;
const codeOf$1 = (error) => error?.code;
/** The first line; what follows in Node's own messages is the stack of requires. */
function told(error) {
  const [line = ''] = String(error?.message ?? error).split('\n');
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
const failure = (code, message, cause) => Object.assign(new Error(message, { cause }), { code });
/** The addon of the library path, asked for again because the loader keeps no code of its errors. */
function namedAddon(path, cause) {
  try {
    return require(path);
  } catch (error) {
    throw failure(codeOf$1(error), misnamed(path, told(error)), cause);
  }
}
/**
 * The addon of the platform's package. The loader judges the C library by a file of the machine, which
 * is wrong where the process runs on another one: so it may well be found here.
 */
function packagedAddon(cause) {
  const here = platform();
  if (here === undefined) throw failure('MODULE_NOT_FOUND', unsupported(), cause);
  try {
    return require(here.packageName);
  } catch (error) {
    const code = codeOf$1(error);
    const isMissing = code === 'MODULE_NOT_FOUND';
    const message = isMissing ? missing(here, version) : broken(here, told(error));
    throw failure(code, message, cause);
  }
}
function load() {
  try {
    return require('./binding.js');
  } catch (error) {
    // Of a checkout that is not built: there is no loader at all.
    if (codeOf$1(error) === 'MODULE_NOT_FOUND') throw error;
    return override === undefined ? packagedAddon(error) : namedAddon(override, error);
  }
}
const binding = load();
// One that does not tell its version is older than this question.
const found = binding.version?.();
if (found !== version) throw failure('ERR_DLOPEN_FAILED', mismatched(version, found, override));

/** On the prototype, so that a stack begins with it. */
function named(of, name) {
  Object.defineProperty(of.prototype, 'name', { value: name, writable: true, configurable: true });
}
const OPEN = { enumerable: true, writable: true, configurable: true };
const FIELDS$1 = ['operationId', 'scope', 'path', 'limit', 'actual', 'pid'];
/**
 * Every error that tenure throws on purpose, wrong arguments aside: those are a `TypeError` or a
 * `RangeError` with a `code`. Codes never change, messages may; test by `code`, since another copy of
 * the package (a vm context, a worker) has classes of its own.
 */
class TenureError extends Error {
  static {
    named(this, 'TenureError');
  }
  /** What to test; see docs/errors.md for each. */
  code;
  /** For a plan function to throw: a TenureError of its own is passed on as it is. */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
    if (options === undefined) return;
    for (const field of FIELDS$1) {
      const value = options[field];
      if (value !== undefined) Object.defineProperty(this, field, { value, ...OPEN });
    }
  }
}
/**
 * `ERR_SUBMISSION_REFUSED`: for an adapter to throw from `submit` before anything was sent, a definite
 * failure. `reason` is published as the operation's `error`, so it must be safe to show; one that is
 * empty, too long for `error` or not well-formed is replaced by a fixed one.
 */
class SubmissionRefused extends TenureError {
  static {
    named(this, 'SubmissionRefused');
  }
  /** `ERR_INVALID_ARG_TYPE` unless a string. */
  constructor(reason) {
    if (typeof reason !== 'string') throw invalidArgument('reason', 'a string');
    super('ERR_SUBMISSION_REFUSED', reason);
  }
}
/** `ERR_RESULT_REFUSED`: a value that the journal will not keep. The message is safe to show. */
class ResultRefused extends TenureError {
  static {
    named(this, 'ResultRefused');
  }
  /** @internal */
  constructor(message, fields) {
    super('ERR_RESULT_REFUSED', message, fields);
  }
  /** @internal */
  static _of(message, fields) {
    return new ResultRefused(message, fields);
  }
}
/** `ERR_SESSION_BUSY`: a quiescent mutation met live claims. */
class SessionBusyError extends TenureError {
  static {
    named(this, 'SessionBusyError');
  }
  /** The sessions that have a live claim, sorted; the message names the first. */
  sessionIds;
  /** Made by `mutateSessions`. */
  constructor(sessionIds) {
    super('ERR_SESSION_BUSY', `Session ${sessionIds[0]} has a live execution claim`);
    this.sessionIds = sessionIds;
  }
}
/** `ERR_OPERATION_BUSY`: another active operation holds a key. */
class ApplicationOperationBusyError extends TenureError {
  static {
    named(this, 'ApplicationOperationBusyError');
  }
  /** The holder's registration, and nothing else of it. */
  registration;
  /** The first of the caller's own keys, in the caller's order, that is held. */
  key;
  /** Made by `reserve`. */
  constructor(registration, key) {
    super('ERR_OPERATION_BUSY', `Operation ${registration.operationId} is active`);
    this.registration = registration;
    this.key = key;
  }
}
/** The name that the contract gives the error of a cancelled execution. */
class RuntimeExecutionCancellation extends TenureError {
  static {
    named(this, 'RuntimeExecutionCancellation');
  }
  constructor(sessionId) {
    super(
      'ERR_EXECUTION_CANCELLED',
      `Execution for session ${sessionId} was cancelled before dispatch`,
    );
  }
}
function coded(error, code) {
  Object.defineProperty(error, 'code', { value: code, writable: true, configurable: true });
  return error;
}
const invalidArgument = (name, expected) =>
  coded(new TypeError(`The argument "${name}" must be ${expected}`), 'ERR_INVALID_ARG_TYPE');
const invalidValue = (name, expected) =>
  coded(new TypeError(`The argument "${name}" must be ${expected}`), 'ERR_INVALID_ARG_VALUE');
const outOfRange = (message) => coded(new RangeError(message), 'ERR_OUT_OF_RANGE');
const invalidThis = (name) =>
  coded(new TypeError(`Called on something that is no ${name}`), 'ERR_INVALID_THIS');
/** What only the package itself has: handles are made by calls, not by `new`. */
const MAKER = Symbol('tenure');
function made(maker, name) {
  if (maker !== MAKER)
    throw coded(new TypeError(`A ${name} is not to be constructed`), 'ERR_INVALID_THIS');
}
const closedError = () => new TenureError('ERR_CLOSED', 'The core is closed');
const coreError = (code, message, options) => new TenureError(code, message, options);
/** The error of a generation whose disposal failed. */
const failureOf = (generation, cause) =>
  coreError(
    'ERR_GENERATION_FAILED',
    `Backend generation ${generation} is permanently quarantined after disposal failed`,
    { cause },
  );

function nonEmpty(value, name) {
  if (typeof value !== 'string' || value === '') throw invalidArgument(name, 'a non-empty string');
  return value;
}
function string(value, name) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  return value;
}
function optionalString(value, name) {
  if (value !== undefined && typeof value !== 'string')
    throw invalidArgument(name, 'a string or undefined');
  return value;
}
function callable(value, name) {
  if (typeof value !== 'function') throw invalidArgument(name, 'a function');
  return value;
}
function object(value, name) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    throw invalidArgument(name, 'an object');
  return value;
}
/** A list of strings, read once: a getter or a proxy is not asked again. */
function strings(value, name, empty) {
  if (!Array.isArray(value)) throw invalidArgument(name, 'an array of strings');
  const list = [];
  for (let index = 0; index < value.length; index += 1) {
    const each = value[index];
    if (typeof each !== 'string' || (each === '' && !empty))
      throw invalidArgument(`${name}[${index}]`, empty ? 'a string' : 'a non-empty string');
    list.push(each);
  }
  return list;
}
/** The strings of a run, each read once. */
function identity(value, name) {
  const run = object(value, name);
  return {
    sessionId: string(run.sessionId, `${name}.sessionId`),
    runId: string(run.runId, `${name}.runId`),
    turnId: string(run.turnId, `${name}.turnId`),
  };
}
/** How something ended, read once. */
function outcome(value, name) {
  const given = object(value, name);
  const ok = given.ok;
  if (typeof ok !== 'boolean') throw invalidArgument(`${name}.ok`, 'a boolean');
  return ok ? { ok } : { ok, error: given.error };
}

const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'];
let listener;
let scheduled = false;
function flush$1() {
  scheduled = false;
  const text = binding.takeLog();
  if (typeof text === 'string') listener?.(JSON.parse(text));
}
/** After a call that may have written events. */
function flushSoon$1() {
  if (listener === undefined || scheduled) return;
  scheduled = true;
  node_timers.setImmediate(flush$1);
}
/**
 * Hands the core's `tracing` events of this thread to JavaScript; without options, stops doing so.
 * One logger a thread: a second call replaces the first. Off, which is the default, costs nothing.
 * At most 4 096 events wait; further ones are dropped and counted in a last event. What `onEvent`
 * throws is an uncaught exception. `TENURE_LOG=debug` prints to stderr instead, without any code.
 *
 * Throws `ERR_INVALID_ARG_TYPE`, and `ERR_INVALID_ARG_VALUE` for an unknown level.
 */
function setLogger(options) {
  if (options === undefined || options === null) {
    listener = undefined;
    binding.logLevel(undefined);
    return;
  }
  const { level, onEvent } = object(options, 'options');
  if (typeof level !== 'string') throw invalidArgument('options.level', 'a string');
  if (!LEVELS.includes(level)) throw invalidValue('options.level', `one of ${LEVELS.join(', ')}`);
  callable(onEvent, 'options.onEvent');
  binding.logLevel(level);
  listener = onEvent;
}

/** The slot of nothing, and the number of a core that is closed. */
const NONE$1 = 0xffffffff;
/** Handles by slot: found again for the same thing, never asked for a decision. */
const handles = [];
let numbers = new Uint32Array(64);
/** The array that a call may answer a list into. */
const target = () => numbers;
/** The list that the last call has kept, copied. */
function keptList(count) {
  binding.lastList(numbers);
  return list(count);
}
/** The list of the last call, copied: the array is used again by the next one. */
function list(count) {
  const from = listed(count);
  const copy = [];
  for (let index = 0; index < count; index += 1) copy.push(from[index]);
  return copy;
}
/** The same, not copied: to be read before anything else is called. */
function listed(count) {
  if (count > numbers.length) {
    numbers = new Uint32Array(count * 2);
    binding.lastList(numbers);
  }
  return numbers;
}
/** Acts on what calls have caused: set by effects.ts, which knows the handles. */
let drain = () => {};
const onDrain = (act) => {
  drain = act;
};
/** The value of a coded answer, once its effects are acted on. Negative: a refusal. */
function value(coded) {
  if ((coded & 1) !== 0) drain();
  return coded >> 1;
}
const PHASES$2 = ['pending', 'attached', 'reserved', 'released', 'failed'];
const stale = (subject, detail) =>
  `Backend generation ${detail || subject.generationId} no longer owns activation for session ${subject.sessionId}`;
/** By the name of the reason; the numbers and codes come from Rust. */
const MESSAGES = {
  Internal: () => 'A fault of tenure itself: this session refuses further calls',
  Closed: () => 'The core is closed',
  InvalidThis: () => 'Called on something that is not its handle',
  SessionStopping: ({ sessionId }) =>
    `Session ${sessionId} is stopping and cannot admit a new execution`,
  ClaimForeign: ({ sessionId }) =>
    `Execution claim does not own pending admission for session ${sessionId}`,
  AttachPhase: ({ runId }, phase) =>
    `Execution claim cannot attach Run ${runId} from phase ${PHASES$2[phase]}`,
  AttachBarrier: ({ runId }) =>
    `Execution claim cannot attach Run ${runId} while a session mutation is ahead of it`,
  ReservePhase: ({ runId }, phase) =>
    runId === undefined
      ? `Execution claim has no attached Run in phase ${PHASES$2[phase]}`
      : `Execution claim does not own attached Run ${runId}`,
  SettlePhase: ({ runId }, phase) =>
    runId === undefined
      ? `Execution claim has no attached Run in phase ${PHASES$2[phase]}`
      : `Execution claim cannot settle reserved Run ${runId}`,
  NoRun: (_, phase) => `Execution claim has no attached Run in phase ${PHASES$2[phase]}`,
  NoGeneration: (_, phase) =>
    `Execution claim has no reserved generation in phase ${PHASES$2[phase]}`,
  EnterPhase: ({ sessionId }, phase) =>
    `Execution claim cannot enter admission from phase ${PHASES$2[phase]} for session ${sessionId}`,
  StartPhase: (_, phase) => `Execution claim cannot commit a start in phase ${PHASES$2[phase]}`,
  RequestPhase: ({ requestId }, phase) =>
    `Execution claim cannot open request ${requestId} in phase ${PHASES$2[phase]}`,
  StartCommitted: () => 'Execution claim has already committed its start',
  StartMissing: () => 'Execution claim has no committed start',
  StartTaken: () => 'Execution claim has already taken its start',
  GenerationStale: stale,
  RunReserved: (_, id) => `Backend generation ${id} already reserved this Run identity`,
  GenerationStopping: ({ sessionId }, id) =>
    `Backend generation ${id} is stopping for session ${sessionId}`,
  GenerationQuarantined: ({ sessionId }, id) =>
    `Backend generation ${id} is quarantined for session ${sessionId}`,
  BackendQuarantined: ({ sessionId }) =>
    `Backend generation is quarantined for session ${sessionId}`,
  GenerationForeign: ({ sessionId }) => `Backend of session ${sessionId} lives in another thread`,
  SessionQuarantined: ({ sessionId }) =>
    `Session ${sessionId} is quarantined by a retained stop operation`,
  InteractionIdentity: () => 'Interaction Run identity or ownership mismatch',
  RequestConflict: ({ requestId }) =>
    `Interaction request ${requestId} belongs to another turn or generation`,
  OperationDuplicate: ({ runId }) => `Operation ${runId} is already active`,
  AdmissionClosed: () => 'The operation service is closed',
};
const refusals = binding.refusals();
/** Numbers of the reasons that the face itself has to know. */
const reason = (name) => refusals.indexOf(name) / 2;
/** The code of a reason. */
const codeOf = (index) => refusals[index * 2 + 1] ?? 'ERR_INTERNAL';
/** The error of a reason, by its number. */
function reasoned(index, subject, detail = 0) {
  const name = refusals[index * 2] ?? 'Internal';
  const message = MESSAGES[name]?.(subject, detail) ?? name;
  return new TenureError(codeOf(index), message);
}
/** The error of a refused call. */
const refusal$1 = (refused, subject) => reasoned(-refused - 1, subject, binding.detail());
/** The value of a coded answer; a refusal is thrown. */
function accepted$1(coded, subject) {
  const given = value(coded);
  if (given < 0) throw refusal$1(given, subject);
  return given;
}
/** The list of a coded answer; a refusal is thrown. */
const acceptedList = (coded, subject) => {
  const count = coded >> 1;
  if (count < 0) throw refusal$1(count, subject);
  const copy = list(count);
  if ((coded & 1) !== 0) drain();
  return copy;
};
/** The strings of an answer; a refusal is thrown. */
function acceptedTexts(answer, subject) {
  // Strings have no room for the mark of effects; these calls cause none but an event.
  flushSoon$1();
  if (typeof answer !== 'number') return answer;
  throw refusal$1(value(answer), subject);
}
const busy = (sessionIds) => new SessionBusyError(Object.freeze([...sessionIds]));
/** What a callback of the caller throws is an uncaught exception and breaks no step of ours. */
function report(error) {
  node_timers.setImmediate(() => {
    throw error;
  });
}
const ignore = () => {};
/** A promise that nobody has to await. */
function quiet(promise) {
  promise.catch(ignore);
  return promise;
}
/** A promise with the means to settle it. */
class Deferred {
  promise;
  resolve;
  reject;
  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
/** What a task of the caller gives, a throw included. */
function attempted(task) {
  try {
    return Promise.resolve(task());
  } catch (error) {
    return Promise.reject(error);
  }
}
/** A vm context need not have the global of Node.js: then it is the one of the thread. */
const Controller = globalThis.AbortController ?? node_vm.runInThisContext('AbortController');
const controller = () => new Controller();

const ownRegistry = () => ({
  _number: accepted$1(
    binding.openCore(undefined, () => {}),
    {},
  ),
});
/** Leases that were collected unreleased: their registrations stay, and an event says so. */
const lost = new FinalizationRegistry(({ lease, operationId }) => {
  value(binding.leaseLost(lease, operationId));
});
/** Registries of their own whose service is gone: nobody can ask them any more. */
const unused$5 = new FinalizationRegistry((core) => {
  value(binding.closeBegin(core));
  value(binding.closeEnd(core, new Uint32Array(0)));
});
function registration(words) {
  const [operationId, ownerId, mark, session] = words;
  return Object.freeze({ operationId, ownerId, sessionId: mark === '' ? null : session });
}
function optionalSession(value_, name) {
  if (value_ === undefined || value_ === null) return undefined;
  return nonEmpty(value_, name);
}
/**
 * Active application operations: existence means active, absence means not active, and nothing else is
 * stored. In memory only. Services of one `scope`, in any core of the process, are one registry.
 * Seed 1.
 */
class ApplicationOperationService {
  _registry;
  /**
   * Needs no core. Without `scope` the registry is its own; a named one lasts as long as its thread.
   * `ERR_INVALID_ARG_TYPE`.
   */
  constructor(options) {
    const scope = options === undefined ? undefined : object(options, 'options').scope;
    if (scope === undefined) {
      this._registry = ownRegistry();
      unused$5.register(this, this._registry._number);
      return;
    }
    nonEmpty(scope, 'options.scope');
    this._registry = {
      _number: accepted$1(
        binding.openCore(scope, () => {}),
        {},
      ),
    };
  }
  /** @internal A core's. */
  static _of(registry) {
    const service = Object.create(ApplicationOperationService.prototype);
    Object.defineProperty(service, '_registry', { value: registry });
    return service;
  }
  /**
   * Registers the operation and takes all its keys, or does nothing.
   *
   * `ERR_OPERATION_BUSY` for a held key (judged first), with the holder's registration;
   * `ERR_OPERATION_DUPLICATE` for an operation id that is active; `ERR_ADMISSION_CLOSED` after `close`;
   * `ERR_CLOSED` after the core's; `ERR_INVALID_ARG_TYPE`.
   */
  reserve(request) {
    reference$a(this);
    const given = object(request, 'request');
    const operationId = nonEmpty(given.operationId, 'request.operationId');
    const ownerId = string(given.ownerId, 'request.ownerId');
    const sessionId = optionalSession(given.sessionId, 'request.sessionId');
    const keys = strings(given.exclusivityKeys, 'request.exclusivityKeys', false);
    // Read last: a getter of the request may have closed the core.
    const core = this._registry._number;
    const lease = binding.admissionReserve(core, operationId, ownerId, sessionId, keys);
    flushSoon$1();
    if (typeof lease !== 'number') {
      const [key, ...holder] = lease;
      throw new ApplicationOperationBusyError(registration(holder), key);
    }
    if (lease < 0) throw refusal$1(lease, { runId: operationId });
    const registered = Object.freeze({ operationId, ownerId, sessionId: sessionId ?? null });
    return OperationLease._make(this._registry, registered, lease);
  }
  /** The active operation's registration, frozen, or null: it is not active. `ERR_INVALID_ARG_TYPE`. */
  get(operationId) {
    const core = reference$a(this);
    nonEmpty(operationId, 'operationId');
    const words = acceptedTexts(binding.admissionGet(core, operationId), {});
    return words.length === 0 ? null : registration(words);
  }
  /**
   * The active operations, in order of admission: a list of its own, yours to change. `sessionId: null`
   * selects application-wide work. `ERR_INVALID_ARG_TYPE`.
   */
  listActive(filter) {
    reference$a(this);
    const { sessionId, ownerId } = filter === undefined ? {} : object(filter, 'filter');
    if (ownerId !== undefined) string(ownerId, 'filter.ownerId');
    if (sessionId !== undefined && sessionId !== null) nonEmpty(sessionId, 'filter.sessionId');
    const kind = sessionId === undefined ? 0 : sessionId === null ? 1 : 2;
    const words = acceptedTexts(
      binding.admissionList(this._registry._number, kind, sessionId ?? undefined, ownerId),
      {},
    );
    const active = [];
    for (let index = 0; index < words.length; index += 4)
      active.push(registration(words.slice(index, index + 4)));
    return active;
  }
  /** Clears every registration, of the whole scope, and refuses every later reservation. */
  close() {
    accepted$1(binding.admissionClose(reference$a(this)), {});
  }
}
/**
 * The right to end one registration. Identity-safe: never ends a later one with the same id. Seed 1.
 */
class OperationLease {
  /** What was admitted, frozen. */
  registration;
  _from;
  /** @internal */
  _lease;
  constructor(maker, registry, of, lease) {
    made(maker, 'OperationLease');
    this.registration = of;
    this._from = registry;
    this._lease = lease;
    lost.register(this, { lease, operationId: of.operationId }, this);
  }
  /** @internal */
  static _make(registry, of, lease) {
    return new OperationLease(MAKER, registry, of, lease);
  }
  /**
   * Removes the registration that this very lease made. Idempotent; a no-op after `close`. A lease that
   * is collected unreleased keeps its registration: losing a handle is not the end of the work.
   */
  release() {
    const lease = this?._lease;
    if (typeof lease !== 'number') throw invalidThis('OperationLease');
    lost.unregister(this);
    value(binding.admissionRelease(this._from._number, lease));
  }
  /** `release`, so that `using` works. */
  [Symbol.dispose]() {
    OperationLease.prototype.release.call(this);
  }
}
/**
 * `session:<sessionId>`: the key that work on one session takes. `ERR_INVALID_ARG_TYPE`. Seed 1.
 */
function sessionOperationExclusivityKey(sessionId) {
  if (typeof sessionId !== 'string' || sessionId === '')
    throw invalidArgument('sessionId', 'a non-empty string');
  return `session:${sessionId}`;
}
function reference$a(self) {
  const registry = self?._registry;
  if (registry === undefined) throw invalidThis('ApplicationOperationService');
  return registry._number;
}

/** An error that crosses to another member keeps its name, message, code and causes, to this depth. */
const DEPTH = 8;
const isError$1 = (value) => node_util.types.isNativeError(value) || value instanceof Error;
function describe(value, depth) {
  if (!isError$1(value)) return { name: 'Error', message: String(value) };
  const { name, message } = value;
  const crossed = { name: String(name), message: String(message) };
  const code = value.code;
  if (typeof code === 'string') crossed.code = code;
  if (depth > 1 && isError$1(value.cause)) crossed.cause = describe(value.cause, depth - 1);
  return crossed;
}
/** The text of an error. One whose getters throw crosses as an Error that says so. */
function cross(error) {
  try {
    return JSON.stringify(describe(error, DEPTH));
  } catch {
    return JSON.stringify({ name: 'Error', message: 'An error that cannot be read' });
  }
}
function revive({ name, message, code, cause }) {
  const error = cause ? new Error(message, { cause: revive(cause) }) : new Error(message);
  if (name !== 'Error')
    Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  if (code !== undefined) error.code = code;
  return error;
}
/** The error of a text; without one, its member has ended. */
const uncross = (text) => (text === undefined ? closedError() : revive(JSON.parse(text)));

const PHASES$1 = ['active', 'stopping', 'disposing', 'failed', 'terminated'];
const CURRENT = 1 << 3;
const CLOSED$2 = 1 << 2;
const IDLE = 0;
const IN_FLIGHT = 1;
const OK = Object.freeze({ ok: true });
/**
 * One backend instance of a session, with the runs registered on it. Made by
 * {@link RuntimeCore.createGeneration}; belongs to the core and thread that made it. Seed 3.
 */
class BackendGeneration {
  /** The session it was made for. */
  sessionId;
  /** Ascends from 1 within a scope. */
  id;
  /** `undefined`: the session's own backend; a string: that of the child turn with that id. */
  route;
  /** As given to `createGeneration`. */
  backend;
  /** The caller's to read and set. */
  cachedHeader;
  /** @internal */
  _core;
  /** @internal The slot; or, terminated, -1 - the word of its stop. */
  _generation;
  _stopping = undefined;
  _disposal = undefined;
  _failure = undefined;
  constructor(maker, core, sessionId, id, route, backend, header, slot) {
    made(maker, 'BackendGeneration');
    this.sessionId = sessionId;
    this.id = id;
    this.route = route;
    this.backend = backend;
    this.cachedHeader = header;
    this._core = core;
    this._generation = slot;
  }
  /** @internal */
  static _make(core, sessionId, id, route, backend, header, slot) {
    return new BackendGeneration(MAKER, core, sessionId, id, route, backend, header, slot);
  }
  /** Where it stands. */
  get phase() {
    const slot = reference$9(this);
    if (slot < 0) return 'terminated';
    return PHASES$1[accepted$1(binding.generationWord(slot), this) & 7];
  }
  /** Whether it is its route's current one. */
  get isCurrent() {
    const slot = reference$9(this);
    return slot >= 0 && (accepted$1(binding.generationWord(slot), this) & CURRENT) !== 0;
  }
  /** How many runs are registered on it, now. */
  get activeRuns() {
    reference$9(this);
    return new ActiveRuns(this);
  }
  /** `ERR_GENERATION_FAILED`, once `failed`; the same object each time. */
  get failure() {
    reference$9(this);
    return this._failure;
  }
  /** The disposal begun, if any; never rejects. */
  get disposal() {
    reference$9(this);
    return this._disposal;
  }
  /**
   * active → stopping, and single flight: joins the stop in flight or calls `task` in a microtask. A
   * failure is for good: every later call rejects with that same error without calling `task`. A
   * rejection that nobody awaits is no unhandled one.
   */
  stop(task) {
    let slot;
    try {
      slot = reference$9(this);
      callable(task, 'task');
      if (slot < 0 && ((-slot - 1) & CLOSED$2) !== 0) throw closedError();
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const before = slot >= 0 ? value(binding.generationStop(slot)) : this._flight(0) & 3;
    if (before < 0) return quiet(Promise.reject(refusal$1(before, this)));
    if (before !== IDLE && this._stopping !== undefined) return this._stopping;
    const stopping = new Deferred();
    const promise = quiet(stopping.promise);
    this._stopping = promise;
    const stopped = (ok) => {
      if (this._generation >= 0) value(binding.generationStopped(this._generation, ok));
      else this._flight(ok ? 1 : 2);
      if (ok && this._stopping === promise) this._stopping = undefined;
    };
    Promise.resolve()
      .then(() => task())
      .then(
        () => {
          stopped(true);
          stopping.resolve();
        },
        (error) => {
          stopped(false);
          stopping.reject(error);
        },
      );
    return promise;
  }
  /**
   * → disposing, and single flight: joins the disposal begun or calls `task` before returning. Never
   * rejects but for a wrong argument; resolves, after the phase has changed, to how `task` ended.
   * `{ ok: true }` if terminated.
   */
  dispose(task) {
    try {
      const slot = reference$9(this);
      callable(task, 'task');
      if (slot < 0) {
        const gone = ((-slot - 1) & CLOSED$2) !== 0;
        return this._disposal ?? Promise.resolve(gone ? { ok: false, error: closedError() } : OK);
      }
      const begun = accepted$1(binding.generationDispose(slot), this) !== 0;
      if (!begun && this._disposal !== undefined) return this._disposal;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const disposal = new Deferred();
    this._disposal = disposal.promise;
    attempted(task).then(
      () => disposal.resolve(this._disposed(OK)),
      (error) => disposal.resolve(this._disposed({ ok: false, error })),
    );
    return disposal.promise;
  }
  /**
   * To be called when a run has left or a stop has completed. If nothing holds the generation:
   * stopping → active; disposing and disposed → terminated. Returns a disposal to wait for.
   */
  reconcile() {
    const slot = reference$9(this);
    if (slot < 0) return undefined;
    return accepted$1(binding.generationReconcile(slot), this) !== 0 ? this._disposal : undefined;
  }
  /** @internal */
  _seal(word) {
    this._generation = -word - 1;
  }
  /** @internal */
  _end() {
    if (this._generation >= 0) this._generation = -CLOSED$2 - 1;
  }
  _disposed(outcome) {
    const slot = this._generation;
    if (slot < 0) return outcome;
    if (outcome.ok) {
      value(binding.generationDisposed(slot, true, undefined));
    } else {
      this._failure = failureOf(this.id, outcome.error);
      const crossed = this._core._shared ? cross(outcome.error) : undefined;
      value(binding.generationDisposed(slot, false, crossed));
    }
    return outcome;
  }
  /** The stop of a terminated generation: its state before, and the word moved on. */
  _flight(event) {
    const moved = value(binding.sealedFlight(-this._generation - 1, event));
    this._generation = -(moved >> 2) - 1;
    return (moved & 3) === IDLE && event === 0 ? IDLE : Math.max(moved & 3, IN_FLIGHT);
  }
}
class ActiveRuns {
  #generation;
  constructor(generation) {
    this.#generation = generation;
  }
  get size() {
    const slot = this.#generation._generation;
    return slot < 0 ? 0 : accepted$1(binding.generationRuns(slot), this.#generation);
  }
}
function reference$9(self) {
  const slot = self?._generation;
  if (typeof slot !== 'number') throw invalidThis('BackendGeneration');
  return slot;
}

/**
 * A question that a turn waits on. Only the generation that asked may be given the answer. Made by
 * {@link ExecutionClaim.openRequest}; belongs to the core and thread that made it. Seed 3.
 */
class InteractionRequest {
  /** The session that it is open in. */
  sessionId;
  /** Unique among the open requests of the session. */
  requestId;
  /** The turn that waits. */
  turnId;
  /** The backend that asked: the only one to be given the answer. */
  generation;
  /** @internal */
  _value;
  /** @internal The slot, -1 once closed. */
  _request;
  constructor(maker, sessionId, requestId, turnId, generation, value, slot) {
    made(maker, 'InteractionRequest');
    this.sessionId = sessionId;
    this.requestId = requestId;
    this.turnId = turnId;
    this.generation = generation;
    this._value = value;
    this._request = slot;
  }
  /** @internal */
  static _make(sessionId, requestId, turnId, generation, value, slot) {
    return new InteractionRequest(MAKER, sessionId, requestId, turnId, generation, value, slot);
  }
  /** The value it was last opened with. */
  get value() {
    reference$8(this);
    return this._value;
  }
  /** Answered, or not to be answered any more. Idempotent; a later request with the id is not touched. */
  close() {
    const slot = reference$8(this);
    if (slot < 0) return;
    accepted$1(binding.closeRequest(slot), this);
    handles[slot] = undefined;
    this._request = -1;
  }
  /** @internal */
  _seal() {
    this._request = -1;
  }
  /** @internal */
  _end() {
    this._request = -1;
  }
}
function reference$8(self) {
  const slot = self?._request;
  if (typeof slot !== 'number') throw invalidThis('InteractionRequest');
  return slot;
}

const PHASES = ['pending', 'attached', 'reserved', 'released', 'failed'];
const CAPTURED = 1 << 3;
const ABORTED = 1 << 4;
const CLOSED$1 = 1 << 8;
const ABANDONED = 1 << 9;
const ATTACH = 0;
const RESERVE = 1;
const SETTLE = 2;
const COMMIT = 0;
const DONE = 1;
const TAKE = 3;
const REASON = {
  claimForeign: reason('ClaimForeign'),
  closed: reason('Closed'),
  enter: reason('EnterPhase'),
  foreignFailed: reason('ForeignGenerationFailed'),
  generationFailed: reason('GenerationFailed'),
  generationForeign: reason('GenerationForeign'),
  interaction: reason('InteractionIdentity'),
  noGeneration: reason('NoGeneration'),
  noRun: reason('NoRun'),
  reserve: reason('ReservePhase'),
};
/** What rides on a claim once it has a run, or is asked for more than its phase. */
class Riders {
  run = undefined;
  runId = undefined;
  turnId = undefined;
  onStop = undefined;
  generation = undefined;
  controller = undefined;
  cancellation = undefined;
  rare = undefined;
}
/** What rides on few claims. */
class Rare {
  interaction = undefined;
  error = undefined;
  failed = false;
  start = undefined;
  entering = undefined;
}
/**
 * The right to run once in a session, and the ownership record of that run. Made by
 * {@link RuntimeCore.claimExecution}; belongs to the core and thread that made it.
 *
 * Every member throws `ERR_INVALID_THIS` on another receiver. After `close` of the core, `release`,
 * `settle`, `finalize` and `leaveGeneration` do nothing and the others say `ERR_CLOSED`. Seed 3.
 */
class ExecutionClaim {
  /** The session it was made for. */
  sessionId;
  /** @internal */
  _core;
  /** @internal The slot; or, sealed, -1 - the word of its last facts. */
  _claim;
  /** @internal */
  _riders;
  constructor(maker, core, sessionId, slot) {
    made(maker, 'ExecutionClaim');
    this.sessionId = sessionId;
    this._core = core;
    this._claim = slot;
    this._riders = undefined;
  }
  /** @internal */
  static _make(core, sessionId, slot) {
    return new ExecutionClaim(MAKER, core, sessionId, slot);
  }
  /** Where it stands. */
  get phase() {
    reference$7(this);
    return PHASES[this._word() & 7];
  }
  /** The run, as given to `attach`. `ERR_CLAIM_PHASE` before it. */
  get run() {
    reference$7(this);
    const run = this._riders?.run;
    if (run === undefined) throw reasoned(REASON.noRun, this, this._word() & 7);
    return run;
  }
  /** The generation it was reserved on. `ERR_CLAIM_PHASE` before `reserve`. */
  get generation() {
    reference$7(this);
    const generation = this._riders?.generation;
    if (generation === undefined) throw reasoned(REASON.noGeneration, this, this._word() & 7);
    return generation;
  }
  /** Aborted, with `cancellation` as reason, when a stop captures the claim while it is live. */
  get stopSignal() {
    reference$7(this);
    const aborted = (this._word() & ABORTED) !== 0;
    const riders = this._ride();
    if (riders.controller === undefined) {
      riders.controller = controller();
      if (aborted) riders.controller.abort(this.cancellation);
    }
    return riders.controller.signal;
  }
  /** `ERR_EXECUTION_CANCELLED`, for the caller to throw; the same object each time. */
  get cancellation() {
    reference$7(this);
    return (this._ride().cancellation ??= new RuntimeExecutionCancellation(this.sessionId));
  }
  /** @internal Throws what a build that it joined has failed with; a stop of both is its own cancellation. */
  _joins(error) {
    const cut = error instanceof RuntimeExecutionCancellation && this.isStopRequested();
    throw cut ? this.cancellation : error;
  }
  /** Whether a stop has captured this claim; never reverts. */
  isStopRequested() {
    reference$7(this);
    return (this._word() & CAPTURED) !== 0;
  }
  /** No other live claim and no active run in the session, in any member of the scope. */
  isExclusive() {
    const claim = reference$7(this);
    const core = this._core._number;
    return claim >= 0
      ? accepted$1(binding.claimIsExclusive(claim), this) !== 0
      : accepted$1(binding.sessionIsIdle(core, this.sessionId), this) !== 0;
  }
  /**
   * Resolves when every mutation queued on the session before this claim was made has ended; at once
   * when there is none. Rejects with `ERR_CLAIM_PHASE` unless the claim is then still pending. A stop
   * does not cut the wait short.
   */
  enter() {
    try {
      const claim = reference$7(this);
      if (claim < 0) {
        const word = -claim - 1;
        throw this._isClosed(word) ? closedError() : reasoned(REASON.enter, this, word & 7);
      }
      if (accepted$1(binding.enter(claim), this) === 0) return Promise.resolve();
      const entering = new Deferred();
      (this._rare().entering ??= []).push(entering);
      return entering.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /**
   * pending → attached. `onStop` is called when a stop captures the claim, or before this returns if
   * one already has; at most once. What it throws is an uncaught exception and breaks no step.
   *
   * `ERR_CLAIM_PHASE`, also while a mutation that the claim has to wait for has not ended.
   */
  attach(run, onStop) {
    reference$7(this);
    const { sessionId, runId, turnId } = identity(run, 'run');
    callable(onStop, 'onStop');
    // Read again: a getter of the run may have ended the claim.
    const claim = this._claim;
    if (claim < 0) this._refuse(ATTACH, runId);
    const other = sessionId === this.sessionId ? undefined : sessionId;
    const told = value(binding.attach(claim, runId, turnId, other));
    if (told < 0) throw refusal$1(told, { sessionId: this.sessionId, runId });
    const riders = this._ride();
    riders.run = run;
    riders.runId = runId;
    riders.turnId = turnId;
    riders.onStop = onStop;
    if (told > 0) this._call(this._core._attempt(told - 1));
  }
  /**
   * Whether the session may activate a backend for this claim now: `undefined` when nothing is in the
   * way, or the disposal of the first generation being disposed, to await and ask again. Generations
   * are judged in creation order; disposed ones without a holder are terminated.
   *
   * `ERR_SESSION_QUARANTINED` under a retained stop operation, unless this claim is attached and
   * captured by the attempt that stands; `ERR_GENERATION_FAILED`; `ERR_GENERATION_STOPPING`;
   * `ERR_GENERATION_QUARANTINED` for a disposed generation that a run or an operation still holds, and
   * for an invalidated session with active runs; `ERR_GENERATION_FOREIGN`.
   */
  activationBlocker() {
    const claim = reference$7(this);
    const coded =
      claim >= 0
        ? binding.activationBlocker(claim)
        : binding.sessionBlocker(this._core._entry(this.sessionId));
    const blocker = value(coded);
    if (blocker < 0) throw this._blocked(-blocker - 1, binding.detail());
    return blocker === 0 ? undefined : handles[blocker - 1].disposal;
  }
  /**
   * attached → reserved, registering the run on `generation`, in one step. Returns the attempt that
   * captured this claim: the caller then must `retain` the run, or undo by `leaveGeneration` and a
   * failed `settle`.
   *
   * `ERR_CLAIM_PHASE`; `ERR_GENERATION_STALE` unless the generation is active and current;
   * `ERR_GENERATION_FOREIGN` for another core's; `ERR_RUN_RESERVED` if it has the run's id or turn.
   */
  reserve(generation) {
    const claim = reference$7(this);
    if (!(generation instanceof BackendGeneration))
      throw invalidArgument('generation', 'a BackendGeneration');
    const runId = this._riders?.runId;
    if (claim < 0) this._refuse(RESERVE, runId);
    if (generation._core !== this._core) {
      const phase = this._word() & 7;
      throw PHASES[phase] === 'attached'
        ? reasoned(REASON.generationForeign, this)
        : reasoned(REASON.reserve, subject(this, runId), phase);
    }
    const slot = generation._generation >= 0 ? generation._generation : NONE$1;
    const captor = value(binding.reserve(claim, slot));
    if (captor < 0) {
      const generationId = generation.id;
      throw refusal$1(captor, { ...subject(this, runId), generationId });
    }
    this._ride().generation = generation;
    return captor === 0 ? undefined : this._core._attempt(captor - 1);
  }
  /** The run may be sent to its backend: registered on a generation that is active and current. */
  canDispatch() {
    const claim = reference$7(this);
    return claim >= 0 && accepted$1(binding.canDispatch(claim), this) !== 0;
  }
  /**
   * reserved → released (ok) or failed. A failed outcome on an attached or failed claim is ignored:
   * that claim ends by `finalize` or `release`. Otherwise `ERR_CLAIM_PHASE`.
   */
  settle(outcome) {
    reference$7(this);
    const given = outcomeOf(outcome);
    const claim = this._claim;
    if (claim < 0) {
      this._refuse(given.ok ? SETTLE : SETTLE + 1, this._riders?.runId);
      return;
    }
    // A failed settlement that is ignored must not replace the error of a recorded finalization.
    if (!given.ok && PHASES[this._word() & 7] === 'reserved') this._fail(given.error);
    const crossed = given.ok ? undefined : this._crossed(given.error);
    const sealed = this._ended(binding.settle(claim, given.ok, crossed));
    if (sealed < 0) throw refusal$1(sealed, subject(this, this._riders?.runId));
  }
  /**
   * Records how the run's own finalization ended, on an attached claim (else ignored). If a stop has
   * captured it, it ends so: released or failed.
   */
  finalize(outcome) {
    reference$7(this);
    const given = outcomeOf(outcome);
    const claim = this._claim;
    if (claim < 0) return;
    if (PHASES[this._word() & 7] === 'attached') {
      if (given.ok) this._unfail();
      else this._fail(given.error);
    }
    const crossed = given.ok ? undefined : this._crossed(given.error);
    const sealed = this._ended(binding.finalize(claim, given.ok, crossed));
    if (sealed < 0) throw refusal$1(sealed, this);
  }
  /**
   * Gives up a pending or attached claim; ignored in any other phase. An attached claim captured by a
   * stop ends only with its finalization, recorded before or after.
   */
  release() {
    const claim = reference$7(this);
    if (claim < 0) return;
    const sealed = this._ended(binding.release(claim));
    if (sealed < 0) throw refusal$1(sealed, this);
  }
  /** `release`, so that `using claim = core.claimExecution(id)` works. */
  [Symbol.dispose]() {
    ExecutionClaim.prototype.release.call(this);
  }
  /**
   * Takes the run off its generation, and closes the claim's open requests in the same step.
   * Idempotent; ignored before `reserve`.
   */
  leaveGeneration() {
    const claim = reference$7(this);
    if (claim < 0) return;
    const sealed = this._ended(binding.leave(claim));
    if (sealed < 0) throw refusal$1(sealed, this);
  }
  /** The session's retained stop operation, while it still holds this claim's run. */
  get stopOperation() {
    const claim = reference$7(this);
    if (claim < 0) return undefined;
    const operation = accepted$1(binding.claimOperation(claim), this);
    return operation === 0 ? undefined : handles[operation - 1];
  }
  /**
   * Commits the start of a continued run, at most once in a claim's life: calls `commit` before
   * returning and settles as it does. The promise is the caller's: a rejection must be handled.
   *
   * Rejects with `ERR_CLAIM_START` (judged first) if called before, even if that commit failed:
   * whether it took effect may be unknown; with `ERR_CLAIM_PHASE` unless attached.
   */
  commitStart(commit) {
    try {
      const claim = reference$7(this);
      callable(commit, 'commit');
      this._start(claim, COMMIT);
    } catch (error) {
      return Promise.reject(error);
    }
    return attempted(commit).then(
      (start) => {
        this._rare().start = start;
        this._start(this._claim, DONE);
        return start;
      },
      (error) => {
        this._start(this._claim, DONE + 1);
        throw error;
      },
    );
  }
  /**
   * What `commit` resolved to, to the first caller: the proof that this run may be dispatched, once.
   * It outlives the admission. `ERR_CLAIM_START` before the commit has succeeded and after the first
   * call.
   */
  takeStart() {
    const claim = reference$7(this);
    this._start(claim, TAKE);
    const rare = this._rare();
    const start = rare.start;
    rare.start = undefined;
    return start;
  }
  /**
   * Makes the claim's turn and generation the owner of a request that is open for an answer. Opened
   * again by the same turn on the same generation: the same request, with the new value. Ends with
   * its `close` or with `leaveGeneration`.
   *
   * `ERR_CLAIM_PHASE` unless the run is registered on a generation; `ERR_REQUEST_CONFLICT` if another
   * turn or generation owns the id.
   */
  openRequest(requestId, request) {
    const claim = reference$7(this);
    nonEmpty(requestId, 'requestId');
    const about = { sessionId: this.sessionId, requestId };
    if (claim < 0) {
      const word = -claim - 1;
      throw this._isClosed(word)
        ? closedError()
        : refusal$1(value(binding.sealedRequest(word)), about);
    }
    const opened = accepted$1(binding.openRequest(claim, requestId), about);
    const slot = opened >> 1;
    if ((opened & 1) !== 0) {
      const open = handles[slot];
      open._value = request;
      return open;
    }
    const { generation, turnId } = this._riders;
    const from = generation;
    const made = InteractionRequest._make(this.sessionId, requestId, turnId, from, request, slot);
    handles[slot] = made;
    return made;
  }
  /** The interaction owner bound to this run. */
  get interaction() {
    reference$7(this);
    return this._riders?.rare?.interaction;
  }
  /** Once, and of the attached run's exact identity, else `ERR_INTERACTION_IDENTITY`. */
  bindInteraction(binding_) {
    reference$7(this);
    const { sessionId, runId, turnId } = identity(binding_, 'binding');
    const claim = this._claim;
    if (claim < 0)
      throw this._isClosed(-claim - 1) ? closedError() : reasoned(REASON.interaction, this);
    accepted$1(binding.bind(claim, sessionId, runId, turnId), this);
    this._rare().interaction = binding_;
  }
  /** Ignored unless `binding` is the bound one. */
  unbindInteraction(binding_) {
    const claim = reference$7(this);
    const rare = this._riders?.rare;
    if (rare?.interaction === undefined || rare.interaction !== binding_) return;
    if (claim >= 0) accepted$1(binding.unbind(claim), this);
    rare.interaction = undefined;
  }
  /** @internal */
  _ride() {
    return (this._riders ??= new Riders());
  }
  _rare() {
    return (this._ride().rare ??= new Rare());
  }
  /** @internal */
  _word() {
    const claim = reference$7(this);
    return claim >= 0 ? accepted$1(binding.claimWord(claim), this) : -claim - 1;
  }
  /** @internal Acts on the answer of a call that may have ended the claim. */
  _ended(coded) {
    const sealed = coded >> 1;
    const slot = this._claim;
    if (sealed > 0) this._claim = -sealed;
    if ((coded & 1) !== 0) drain(sealed > 0 ? slot : undefined);
    else if (sealed > 0) handles[slot] = undefined;
    return sealed;
  }
  /** @internal */
  _seal(word) {
    this._claim = -word - 1;
    // It ended with its core: whatever its run had recorded before is not how.
    if ((word & ABANDONED) !== 0) this._unfail();
  }
  /** @internal The core has ended, and this with it. */
  _end() {
    if (this._claim >= 0) this._claim = -(PHASES.indexOf('failed') | CLOSED$1) - 1;
    this._entered(1 + REASON.closed);
  }
  /** @internal */
  _entered(refused) {
    const rare = this._riders?.rare;
    const entering = rare?.entering ?? [];
    if (rare) rare.entering = undefined;
    for (const each of entering) {
      if (refused === 0) each.resolve();
      else each.reject(reasoned((refused & 255) - 1, this, refused >> 8));
    }
  }
  /** @internal */
  _call(stop) {
    try {
      this._riders?.onStop?.call(undefined, stop);
    } catch (error) {
      report(error);
    }
  }
  /** @internal Whether somebody holds its signal. */
  get _signalled() {
    return this._riders?.controller !== undefined;
  }
  /** @internal The abort of the stop has reached it. */
  _abort() {
    if (this._claim < 0) this._claim = -value(binding.sealAborted(-this._claim - 1)) - 1;
    this._riders?.controller?.abort(this.cancellation);
  }
  /** @internal Whether `drained` finds the error here, and not in Rust. */
  _failure() {
    const rare = this._riders?.rare;
    return rare?.failed ? rare.error : closedError();
  }
  _fail(error) {
    const rare = this._rare();
    rare.error = error;
    rare.failed = true;
  }
  _unfail() {
    if (this._riders?.rare) this._riders.rare.failed = false;
  }
  _crossed(error) {
    return this._core._shared ? cross(error) : undefined;
  }
  _isClosed(word) {
    return (word & CLOSED$1) !== 0 || this._core._number === NONE$1;
  }
  /** What the claim's last facts say to an event: a refusal, or nothing. */
  _refuse(event, runId) {
    const word = -this._claim - 1;
    accepted$1(binding.sealedMove(this._core._number, word, event), subject(this, runId));
  }
  _start(claim, event) {
    const moved = accepted$1(binding.start(claim, event), this);
    if (moved > 0) this._claim = -moved;
  }
  _blocked(refused, detail) {
    if (refused === REASON.generationFailed) return handles[detail].failure;
    if (refused !== REASON.foreignFailed) return reasoned(refused, this, detail);
    const text = binding.foreignFailure(this._core._entry(this.sessionId), detail);
    return failureOf(detail, typeof text === 'string' ? uncross(text) : undefined);
  }
}
const subject = (claim, runId) =>
  runId === undefined ? { sessionId: claim.sessionId } : { sessionId: claim.sessionId, runId };
const outcomeOf = (given) => outcome(given, 'outcome');
function reference$7(self) {
  const claim = self?._claim;
  if (typeof claim !== 'number') throw invalidThis('ExecutionClaim');
  return claim;
}

/** The part of a member in a stop that another one started: set while a delivery is taken. */
let beginPart;
function delivering(core, begin) {
  const outer = beginPart;
  beginPart = begin;
  try {
    if ((binding.deliver(core) & 1) !== 0) act();
  } finally {
    beginPart = outer;
  }
}
/** What has gone is let go of before anything of the caller's runs: its slot may be given again. */
function settle$1(kind, handle, slot, word) {
  switch (kind) {
    case 1: // a claim was sealed
    case 3: // a generation was sealed
    case 4: // a turn was sealed
    case 6: // a request was closed
    case 7: // an invalidation was lifted
      handles[slot] = undefined;
      handle?._seal?.(word);
      break;
    case 5: // a message was dropped
    case 8: // a checkpoint was dropped
      handles[slot] = undefined;
      break;
    case 11: // a mutation or a task will never run
      handles[slot] = undefined;
      handle?._end?.();
      break;
    case 16: // an attempt is over, and without failures it is forgotten
      if ((word & 1) === 0) handles[slot] = undefined;
      break;
  }
}
function apply(kind, handle, slot, word) {
  switch (kind) {
    case 2:
      handle?._entered?.(word);
      break;
    case 9:
      handle?._deliver?.();
      break;
    case 10: // a mutation or a task has come to its turn
    case 12:
      handle?._run?.();
      break;
    case 13:
      handle?._drained?.(word);
      break;
    case 14:
      handle?._lifted?.(word === 1);
      break;
    case 15:
      handle?._joined?.(word);
      break;
    case 16:
    case 18:
      handle?._over?.(word);
      break;
    case 17:
      beginPart?.(slot);
      break;
  }
}
/** A fault of ours in one effect must not cost the others. */
function applied(kind, handle, slot, word) {
  try {
    apply(kind, handle, slot, word);
  } catch (error) {
    report(error);
  }
}
const SLOT = 2 ** 5;
const WORD = 2 ** 37;
/**
 * Acts on what the calls so far have caused. What that causes in turn is acted on within it. `gone` is
 * the slot of the handle that the last call was about, if the call has sealed it.
 */
function act(gone) {
  // One effect is the rule, and needs no list.
  const one = binding.drainOne();
  if (one === -1) {
    actOnAll(gone);
  } else {
    const kind = one & 31;
    const slot = Math.floor(one / SLOT) % 2 ** 32;
    const handle = one < 0 ? undefined : handles[slot];
    if (gone !== undefined) handles[gone] = undefined;
    if (one >= 0) {
      const word = Math.floor(one / WORD);
      settle$1(kind, handle, slot, word);
      applied(kind, handle, slot, word);
    }
  }
  flushSoon$1();
}
function actOnAll(gone) {
  const effects = list(binding.drain(target()));
  const at = (index) => effects[index];
  const named = [];
  for (let index = 0; index < effects.length; index += 3) named.push(handles[at(index + 1)]);
  if (gone !== undefined) handles[gone] = undefined;
  named.forEach((handle, place) => {
    const index = place * 3;
    settle$1(at(index), handle, at(index + 1), at(index + 2));
  });
  named.forEach((handle, place) => {
    const index = place * 3;
    applied(at(index), handle, at(index + 1), at(index + 2));
  });
}
onDrain(act);

/**
 * The session's backends are to be disposed before the next activation. A failed disposal keeps the
 * invalidation, and with it the quarantine, for good. Made by {@link RuntimeCore.invalidate}; belongs
 * to the core and thread that made it. Seed 3.
 */
class BackendInvalidation {
  /** The session whose backends are meant. */
  sessionId;
  /** @internal The slot, -1 once lifted. */
  _invalidation;
  _failure = undefined;
  _deferred = new Deferred();
  constructor(maker, sessionId, slot) {
    made(maker, 'BackendInvalidation');
    this.sessionId = sessionId;
    this._invalidation = slot;
  }
  /** @internal */
  static _make(sessionId, slot) {
    const invalidation = new BackendInvalidation(MAKER, sessionId, slot);
    handles[slot] = invalidation;
    return invalidation;
  }
  /** How the disposal ended; never rejects. */
  get outcome() {
    reference$6(this);
    return this._deferred.promise;
  }
  /** `ERR_INVALIDATION_FAILED`, once failed; the same object each time. */
  get failure() {
    reference$6(this);
    return this._failure;
  }
  /**
   * Single flight, also while runs are active: drops the session's steering queue and checkpoint slot
   * and calls `task` with its generations, before returning. Returns `outcome`; on success the
   * invalidation is lifted first.
   */
  dispose(task) {
    let slots;
    try {
      const slot = reference$6(this);
      callable(task, 'task');
      if (slot < 0) return this._deferred.promise;
      const coded = binding.invalidationDispose(slot, target());
      const begun = coded >> 1;
      if (begun < 0) throw refusal$1(begun, this);
      slots = begun > 0 ? list(begun - 1) : [];
      if ((coded & 1) !== 0) drain();
      if (begun === 0) return this._deferred.promise;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
    const generations = slots.map((each) => handles[each]);
    attempted(() => task(generations)).then(
      (outcome) => this._done(outcome),
      (error) => this._done({ ok: false, error }),
    );
    return this._deferred.promise;
  }
  _done(outcome) {
    const slot = this._invalidation;
    if (slot < 0) return;
    const ok = outcome?.ok === true;
    if (!ok) {
      const cause = outcome?.error;
      const text = `Backend invalidation is permanently quarantined for session ${this.sessionId}`;
      this._failure = coreError('ERR_INVALIDATION_FAILED', text, { cause });
    }
    value(binding.invalidationDone(slot, ok));
    this._deferred.resolve(outcome);
  }
  /** @internal */
  _seal(ended) {
    this._invalidation = -1;
    if (ended === 1) this._deferred.resolve({ ok: false, error: closedError() });
  }
  /** @internal */
  _end() {
    this._seal(1);
  }
}
function reference$6(self) {
  const slot = self?._invalidation;
  if (typeof slot !== 'number') throw invalidThis('BackendInvalidation');
  return slot;
}

const SEALED = -1;
const CLOSED = -2;
const gone = ({ memo, lease }) => handles[lease] !== memo;
const textAt = (slot) => handles[slot].text;
const message = (id, text) => ({
  id,
  messageId: id,
  content: { text },
});
/** The queue as it is. */
function snapshot(queue, sessionId, turnId) {
  const entry = queue._entry(sessionId);
  if (queue._shared) {
    const steering = acceptedTexts(binding.snapshotSaid(entry, false), { sessionId });
    const followup = acceptedTexts(binding.snapshotSaid(entry, true), { sessionId });
    return { turnId, steering, followup };
  }
  const count = accepted$1(binding.snapshot(entry, target()), { sessionId });
  const slots = listed(count);
  const leased = slots[0] + 1;
  const steering = [];
  const followup = [];
  for (let index = 1; index < count; index += 1)
    (index < leased ? steering : followup).push(textAt(slots[index]));
  return { turnId, steering, followup };
}
/** Takes the texts of followups, and before them of queued messages when retracting. */
function takeQueue(queue, sessionId, retract) {
  const entry = queue._entry(sessionId);
  if (queue._shared) {
    const texts = binding.takeQueueSaid(entry, retract);
    const taken = acceptedTexts(texts, { sessionId });
    // A list of strings has no room for the mark of effects.
    value(1);
    return taken;
  }
  const coded = binding.takeQueue(entry, retract, target());
  if (coded === 0) return [];
  // The slots are free already: their words are read before anything else happens.
  const taken = acceptedList(coded & -2, { sessionId }).map((slot) => {
    const text = textAt(slot);
    handles[slot] = undefined;
    return text;
  });
  value(coded & 1);
  return taken;
}
/**
 * A turn's access to its session's queue. Made by {@link RuntimeCore.openSteeringTurn}; belongs to the
 * core and thread that made it. Leases are bound to the turn id, not to ownership. Seed 3.
 */
class SteeringTurn {
  /** Whose queue it is. */
  sessionId;
  /** To which leases are bound. */
  turnId;
  _core;
  /** @internal The slot, or sealed: found again by the turn's id. */
  _turn;
  _onUpdate;
  /** What this handle pulled and has not settled: where to look first for an id. */
  _leases = [];
  constructor(maker, core, sessionId, turnId, slot, onUpdate) {
    made(maker, 'SteeringTurn');
    this._core = core;
    this.sessionId = sessionId;
    this.turnId = turnId;
    this._turn = slot;
    this._onUpdate = onUpdate;
  }
  /** @internal */
  static _make(core, sessionId, turnId, slot, onUpdate) {
    const turn = new SteeringTurn(MAKER, core, sessionId, turnId, slot, onUpdate);
    handles[slot] = turn;
    return turn;
  }
  /** Leases every queued message to this turn, oldest first; nothing unless it is the owner. */
  pull() {
    reference$5(this);
    const slot = this._live();
    if (slot < 0) return [];
    if (this._core._shared) {
      const words = acceptedTexts(binding.pullSaid(slot), this);
      drain();
      const pulled = [];
      for (let index = 0; index < words.length; index += 2)
        pulled.push(message(words[index], words[index + 1]));
      return pulled;
    }
    const pulled = value(binding.pull(slot));
    if (pulled < 0) throw refusal$1(pulled, this);
    if ((pulled & 1) !== 0) return [this._lease(pulled >> 1)];
    return pulled === 0 ? [] : keptList(pulled >> 1).map((each) => this._lease(each));
  }
  /** Ends leases of this turn: delivered. Unknown ids are ignored. */
  ack(leaseIds) {
    reference$5(this);
    this._settle(leaseIds, true);
  }
  /**
   * Returns leases of this turn, in the order pulled: to the front of the queue if it is the owner,
   * else to the front of the followup texts. Unknown ids are ignored.
   */
  nack(leaseIds) {
    reference$5(this);
    this._settle(leaseIds, false);
  }
  /**
   * Moves this turn's leases, and if it is the owner the queued messages, to the front of the followup
   * texts (delivering the snapshot) and gives ownership up. Idempotent.
   */
  release() {
    if (reference$5(this) === CLOSED || this._core._number === NONE$1) return;
    const slot = this._live();
    if (slot < 0) return;
    const coded = binding.releaseTurn(slot);
    if (coded >> 1 < 0) throw refusal$1(coded >> 1, this);
    this._settled(slot, coded >> 1, coded);
  }
  _settle(leaseIds, delivered) {
    const ids = strings(leaseIds, 'leaseIds', true);
    const slot = this._live();
    if (slot < 0 || ids.length === 0) return;
    if (this._core._shared) {
      const said = binding.settleSaid(slot, ids, delivered);
      if (said >> 1 < 0) throw refusal$1(said >> 1, this);
      this._settled(slot, (said >> 1) & 1, said);
      return;
    }
    const named = this._named(slot, ids);
    if (named.length === 0) return;
    const coded =
      named.length === 1
        ? binding.settleLease(slot, named[0], delivered)
        : binding.settleLeases(slot, Uint32Array.from(named), delivered);
    if (coded >> 1 < 0) throw refusal$1(coded >> 1, this);
    // None when the one remembered had gone back to the queue: it is not this turn's to settle.
    const settled = coded >> 2 > 0;
    if (settled && delivered) for (const each of named) handles[each] = undefined;
    this._settled(slot, (coded >> 1) & 1, coded);
  }
  /** Slots of the leases with these ids: of the last pull, else asked for. */
  _named(slot, ids) {
    if (ids.length === 1) {
      for (const { memo, lease } of this._leases)
        if (memo.id === ids[0] && handles[lease] === memo) return [lease];
    }
    const leases = acceptedList(binding.leases(slot, target()), this);
    return leases.filter((lease) => ids.includes(handles[lease].id));
  }
  _lease(lease) {
    const memo = handles[lease];
    this._leases.push({ memo, lease });
    return message(memo.id, memo.text);
  }
  /** Acts on the answer of a call that may have sealed the handle. */
  _settled(slot, sealed, coded) {
    if (sealed === 1) this._seal();
    const leases = this._leases;
    if (leases.length === 1) leases.length = 0;
    else if (leases.length > 1) this._leases = leases.filter((each) => !gone(each));
    // The last snapshot still finds the handle by its slot.
    if ((coded & 1) !== 0) drain(sealed === 1 ? slot : undefined);
    else if (sealed === 1) handles[slot] = undefined;
  }
  /** The slot; of a sealed handle a new one, if the turn's calls can have an effect again. */
  _live() {
    const slot = reference$5(this);
    if (slot >= 0) return slot;
    if (slot === CLOSED) throw closedError();
    const revived = accepted$1(
      binding.reviveTurn(this._core._entry(this.sessionId), this.turnId),
      this,
    );
    if (revived === 0) return SEALED;
    this._turn = revived - 1;
    handles[this._turn] = this;
    return this._turn;
  }
  /** @internal */
  _deliver() {
    if (this._onUpdate === undefined) return;
    const given = snapshot(this._core, this.sessionId, this.turnId);
    try {
      this._onUpdate.call(undefined, given);
    } catch (error) {
      report(error);
    }
  }
  /** @internal */
  _seal() {
    this._turn = SEALED;
  }
  /** @internal */
  _end() {
    this._turn = CLOSED;
  }
}
function reference$5(self) {
  const slot = self?._turn;
  if (typeof slot !== 'number') throw invalidThis('SteeringTurn');
  return slot;
}

/** A task that waits for its turn: of a serial lane, or a session mutation. */
class Task {
  #task;
  #ended;
  #deferred = new Deferred();
  #slot;
  #running = false;
  constructor(task, ended, slot) {
    this.#task = task;
    this.#ended = ended;
    this.#slot = slot;
  }
  /** Registers the task under its slot; started in a microtask if it is its turn already. */
  static #queue(task, ended, slot, start) {
    const made = new Task(task, ended, slot);
    handles[slot] = made;
    if (start) void Promise.resolve().then(() => made._run());
    return made.#deferred.promise;
  }
  static lane(task, slot, start) {
    return Task.#queue(task, binding.taskEnded, slot, start);
  }
  static mutation(task, slot, start) {
    return Task.#queue(task, binding.mutationSettled, slot, start);
  }
  /** The transition first, the promise second. */
  #settle() {
    const slot = this.#slot;
    if (slot < 0) return;
    this.#slot = -1;
    handles[slot] = undefined;
    value(this.#ended(slot));
  }
  _run() {
    if (this.#slot < 0 || this.#running) return;
    this.#running = true;
    attempted(this.#task).then(
      (result) => {
        this.#settle();
        this.#deferred.resolve(result);
      },
      (error) => {
        this.#settle();
        this.#deferred.reject(error);
      },
    );
  }
  /** The core has ended: a task that runs goes on, one that waits never starts. */
  _end() {
    if (this.#slot < 0) return;
    this.#slot = -1;
    if (!this.#running) this.#deferred.reject(closedError());
  }
}

const PENDING = 0;
const FAILED$1 = 1;
const REFERS = 2;
const PAY = { status: 0, note: 1, turn: 2, terminal: 3, delivery: 4 };
const OWES_TERMINAL = 2;
const PRESENT = 1;
/** Completed operations whose handle is gone: forgotten in Rust as well. */
const forgotten$3 = new FinalizationRegistry(({ slot, id }) => {
  value(binding.operationDrop(slot, id));
});
/**
 * What a stop still owes: one backend stop per generation (each delivered at most once), and
 * projections, each done at most once and in order: status, turns in the order retained, note; and the
 * terminal facts asked for, one per run, in any order, each tried until it lands. Retained from the
 * first `retain` to the `complete` that finds nothing owed. While retained it quarantines the session
 * and holds its generations. The handle stays usable after that. Seed 3.
 */
class StopOperation {
  /** The session that it quarantines. */
  sessionId;
  /** Input of the attempt that opened the operation. */
  input;
  /** What `now` said when it was opened. */
  ts;
  _core;
  /** @internal The slot, -1 once its core has ended. */
  _operation;
  _id;
  _status;
  _note;
  _members = [];
  _turns = [];
  _targets = [];
  constructor(maker, core, sessionId, slot, id, input, ts, noteId) {
    made(maker, 'StopOperation');
    this._core = core;
    this.sessionId = sessionId;
    this.input = input;
    this.ts = ts;
    this._operation = slot;
    this._id = id;
    this._status = { kind: 'status', done: () => this._pay(PAY.status, 0) };
    this._note = { kind: 'note', id: noteId, done: () => this._pay(PAY.note, 0) };
  }
  /** @internal */
  static _open(core, sessionId, slot, id, input, ts, noteId) {
    const operation = new StopOperation(MAKER, core, sessionId, slot, id, input, ts, noteId);
    handles[slot] = operation;
    return operation;
  }
  /** @internal */
  _add(number, claim, lineage, id) {
    this._members[number] = StopMember._make(this, number, claim);
    const place = accepted$1(binding.operationTargetOf(this._operation, number), this);
    this._targets[place] ??= StopDelivery._make(this, place, claim.generation);
    if (lineage === undefined) return;
    this._turns[number] = {
      kind: 'turn',
      id,
      turnId: claim._riders?.turnId,
      lineage,
      message: undefined,
      done: () => this._pay(PAY.turn, number),
    };
  }
  /**
   * Serial lane of the operation: `task` runs, never synchronously, after every earlier one, failed or
   * not. Settles as the task does; a rejection that nobody awaits is no unhandled one. Rejects with
   * `ERR_CLOSED` when the core ends before the task has started.
   */
  enqueue(task) {
    try {
      reference$4(this);
      callable(task, 'task');
      const slot = open(this);
      const queued = accepted$1(binding.operationEnqueue(slot), this);
      return quiet(Task.lane(task, queued >> 1, (queued & 1) !== 0));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }
  /** The runs to stop, by generation, then in the order retained. */
  members() {
    const slot = open(this);
    const numbers = acceptedList(binding.operationMembers(slot, target()), this);
    return numbers.map((number) => this._members[number]);
  }
  /** One handle for each generation whose backend stop was not yet delivered. */
  pendingDeliveries() {
    open(this);
    return this._select(PENDING);
  }
  /** The first projection not done. Ask again after `done`: runs retained meanwhile count. */
  nextProjection() {
    const next = accepted$1(binding.operationNext(open(this)), this);
    if (next === 0) return undefined;
    if (next === 1) return this._status;
    return next === 2 ? this._note : this._turns[next - 3];
  }
  /**
   * Marks the members stopped, but for those that still owe their terminal fact. If nothing is owed any
   * more, ends the retention: true the first time. `ERR_INVALID_ARG_TYPE` for members of another
   * operation.
   */
  complete(members) {
    reference$4(this);
    if (!Array.isArray(members)) throw invalidArgument('members', 'an array of StopMember');
    const numbers = Uint32Array.from(members, (member, index) => {
      if (!(member instanceof StopMember) || member._of !== this)
        throw invalidArgument(`members[${index}]`, 'a StopMember of this operation');
      return member._member;
    });
    return accepted$1(binding.operationComplete(open(this), numbers), this) !== 0;
  }
  /** The generations the operation still refers to. */
  generations() {
    open(this);
    return this._select(REFERS).map((delivery) => delivery.generation);
  }
  /** Errors of failed deliveries, by generation; also after the retention has ended. */
  deliveryFailures() {
    open(this);
    return this._select(FAILED$1).map((delivery) => delivery._error);
  }
  /**
   * Lets go of an exited run, and of every generation that has no run here any more and whose stop is not
   * pending.
   */
  releaseRun(claim) {
    const slot = reference$4(this);
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    if (slot < 0 || this._core._number === NONE$1) return;
    const number = this._members.findIndex((member) => member._claim === claim);
    accepted$1(binding.operationRelease(slot, number < 0 ? NONE$1 : number), this);
  }
  /** @internal */
  _pay(kind, place, ok = true) {
    accepted$1(binding.operationPay(open(this), kind, place, ok), this);
  }
  /** @internal */
  _facts(number) {
    // Properties stay readable: a member of a core that has ended has let go of everything.
    if (this._operation < 0 || this._core._number === NONE$1) return 0;
    return accepted$1(binding.operationMember(this._operation, number), this);
  }
  /** @internal The retention has ended: nobody looks the handle up any more. */
  _over() {
    handles[this._operation] = undefined;
    if (this._operation >= 0)
      forgotten$3.register(this, { slot: this._operation, id: this._id }, this);
  }
  /** @internal */
  _end() {
    this._operation = -1;
    forgotten$3.unregister(this);
  }
  _select(which) {
    const places = acceptedList(binding.operationTargets(open(this), which, target()), this);
    return places.map((place) => this._targets[place]);
  }
}
/**
 * A run that a stop operation is to stop. Seed 3.
 */
class StopMember {
  /** Of the run. */
  runId;
  /** @internal */
  _of;
  /** @internal */
  _member;
  /** @internal */
  _claim;
  constructor(maker, of, number, claim) {
    made(maker, 'StopMember');
    this._of = of;
    this._member = number;
    this._claim = claim;
    this.runId = claim._riders?.runId;
  }
  /** @internal */
  static _make(of, number, claim) {
    return new StopMember(MAKER, of, number, claim);
  }
  /** Undefined after `releaseRun`. */
  get claim() {
    return (member(this)._of._facts(this._member) & PRESENT) !== 0 ? this._claim : undefined;
  }
  /** Asked for by `retain` and not done: also after `releaseRun`. */
  get owesTerminal() {
    return (member(this)._of._facts(this._member) & OWES_TERMINAL) !== 0;
  }
  /** The terminal fact has landed. Idempotent. */
  terminalDone() {
    member(this)._of._pay(PAY.terminal, this._member);
  }
}
/**
 * The stop of one generation's backend, owed by a stop operation. Seed 3.
 */
class StopDelivery {
  /** Whose backend is to be told. */
  generation;
  /** @internal */
  _error = undefined;
  _of;
  _place;
  constructor(maker, of, place, generation) {
    made(maker, 'StopDelivery');
    this._of = of;
    this._place = place;
    this.generation = generation;
  }
  /** @internal */
  static _make(of, place, generation) {
    return new StopDelivery(MAKER, of, place, generation);
  }
  /** pending → delivered or failed. The first settlement counts. */
  settle(given) {
    if (typeof this?._place !== 'number') throw invalidThis('StopDelivery');
    const settled = outcome(given, 'outcome');
    const pending = this._of.pendingDeliveries().includes(this);
    if (pending && !settled.ok) this._error = settled.error;
    this._of._pay(PAY.delivery, this._place, settled.ok);
  }
}
function member(self) {
  if (typeof self?._member !== 'number') throw invalidThis('StopMember');
  return self;
}
function reference$4(self) {
  const slot = self?._operation;
  if (typeof slot !== 'number') throw invalidThis('StopOperation');
  return slot;
}
function open(self) {
  const slot = reference$4(self);
  // Once its core has ended the slot may name something else.
  if (slot < 0 || self._core._number === NONE$1) throw closedError();
  return slot;
}

const OPENS = 1;
const NOTE = 2;
const TURN = 4;
/** An attempt that is over: whether an operation was opened in it. */
const OVER = -1;
const OVER_OPENED = -2;
const CLAIM_FOREIGN$1 = reason('ClaimForeign');
const NO_GENERATION = reason('NoGeneration');
const GENERATION_FOREIGN = reason('GenerationForeign');
/**
 * One stop of one session in progress: the whole to its starter, its own part to every other member of
 * the scope. Given to `attempt`, `onStop` and `onForeignStop`. Seed 3.
 */
class StopAttempt {
  /** The session that is stopped. */
  sessionId;
  /** The starter's: the object itself to the starter, a copy carried as JSON to other members. */
  input;
  _core;
  /** @internal The slot; or how it was when it was over. */
  _attempt;
  _operation = undefined;
  /** Claims of this member, by their place among the captured. */
  _captured = [];
  /** Those whose `onStop` is still to be called. */
  _untold = [];
  _whole;
  _outcome = undefined;
  _failures = undefined;
  _draining = [];
  constructor(maker, core, sessionId, slot, input, whole) {
    made(maker, 'StopAttempt');
    this._core = core;
    this.sessionId = sessionId;
    this._attempt = slot;
    this.input = input;
    this._whole = whole ? new Deferred() : undefined;
    const coded = binding.captured(slot, target());
    const count = coded >> 1;
    if (count < 0) throw refusal$1(count, this);
    const captured = list(count);
    for (let index = 0; index < captured.length; index += 3) {
      const claim = handles[captured[index + 1]];
      this._captured[captured[index]] = claim;
      if (captured[index + 2] === 1) this._untold.push(claim);
    }
    // Those that had ended were known until now.
    if ((coded & 1) !== 0) drain();
  }
  /** @internal The starter's. */
  static _start(core, sessionId, slot, input) {
    const stop = new StopAttempt(MAKER, core, sessionId, slot, input, true);
    handles[slot] = stop;
    quiet(stop._whole.promise);
    return stop;
  }
  /** @internal Another member's part. */
  static _part(core, slot) {
    const text = binding.attemptInput(slot);
    const input = text ? JSON.parse(text) : undefined;
    const stop = new StopAttempt(MAKER, core, binding.sessionId(slot), slot, input, false);
    handles[slot] = stop;
    return stop;
  }
  /** The session's retained operation, else the last one this attempt retained a run in. */
  get operation() {
    reference$3(this);
    if (this._core._number === NONE$1) return this._operation;
    const entry = this._core._entry(this.sessionId);
    const retained = accepted$1(binding.retainedOperation(entry), this);
    return retained === 0 ? this._operation : handles[retained - 1];
  }
  /** This member's claims, live or not, whose run is registered on a generation; by generation, then age. */
  activeClaims() {
    reference$3(this);
    const entry = this._core._entry(this.sessionId);
    const slots = acceptedList(binding.activeClaims(entry, target()), this);
    return slots.map((slot) => handles[slot]);
  }
  /**
   * Adds the claim's run to the session's operation, opening one (`now`, then `newId` for its note) if
   * none is retained. `lineage` asks for a turn projection (`newId`), `terminal` for the run's terminal
   * fact. Idempotent per run: what was asked first stands. If `newId` or `now` throws, nothing is
   * retained. Of the members of a scope, the one that opens first in an attempt owes status and note.
   *
   * `ERR_CLAIM_PHASE` for a claim without a generation; `ERR_CLAIM_FOREIGN` for one of another core or
   * session.
   */
  retain(claim, owed) {
    reference$3(this);
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    const { lineage, terminal = false } = owed === undefined ? {} : object(owed, 'owed');
    if (typeof terminal !== 'boolean') throw invalidArgument('owed.terminal', 'a boolean');
    if (claim._core !== this._core || claim.sessionId !== this.sessionId)
      throw reasoned(CLAIM_FOREIGN$1, this);
    for (;;) {
      this._check(claim);
      const asked = lineage !== undefined;
      const plan = accepted$1(binding.retainPlan(this._attempt, claim._claim, asked), this);
      const ts = (plan & OPENS) !== 0 ? this._core._now() : 0;
      const noteId = (plan & NOTE) !== 0 ? this._core._newId() : '';
      const turnId = (plan & TURN) !== 0 ? this._core._newId() : '';
      this._check(claim);
      const answer = binding.retain(this._attempt, claim._claim, plan, terminal, target());
      const retained = acceptedList(answer, this);
      // Empty: the clock or the ids have called back and changed what is needed.
      if (retained.length === 0) continue;
      const [slot, member, opened, id] = retained;
      const operation =
        opened !== 0
          ? StopOperation._open(this._core, this.sessionId, slot, id, this.input, ts, noteId)
          : handles[slot];
      if (member !== 0) operation._add(member - 1, claim, lineage, turnId);
      if (this._attempt === OVER && (plan & NOTE) !== 0) this._attempt = OVER_OPENED;
      this._operation = operation;
      return operation;
    }
  }
  /**
   * Resolves, to the errors of the failed ones, when every captured claim has ended: in claim order. Of
   * the starter in a scope, the claims of all members, then the parts' rejections in order of joining;
   * of a part, its own claims. Never rejects.
   */
  drained() {
    try {
      const attempt = reference$3(this);
      if (this._failures !== undefined) return Promise.resolve([...this._failures]);
      const drained = accepted$1(binding.drained(attempt), this);
      if (drained !== 0) return Promise.resolve(drained === 1 ? [] : this._collect());
    } catch (error) {
      return Promise.reject(error);
    }
    const draining = new Deferred();
    this._draining.push(draining);
    return draining.promise;
  }
  /** What must hold before and after the caller's clock and ids were asked. */
  _check(claim) {
    if (this._core._number === NONE$1) throw closedError();
    if (claim._claim < 0) throw reasoned(NO_GENERATION, this, claim._word() & 7);
  }
  /** @internal The promise of the whole. */
  get _promise() {
    return this._whole.promise;
  }
  /**
   * @internal Tells the captured claims, then aborts them, in claim order; of a starter, drops what is
   * queued in the last step. False: the core has ended.
   */
  _capture(clear) {
    for (const claim of this._untold.splice(0)) {
      if (this._core._number === NONE$1) return false;
      claim._call(this);
    }
    const captured = this._captured;
    let from = 0;
    captured.forEach((claim, place) => {
      // A listener sees the claims before its own aborted, and those after it not: Rust is told
      // before any listener may run, and once for all that nobody listens to.
      if (this._core._number === NONE$1 || !(claim._signalled || claim._claim < 0)) return;
      value(binding.attemptAbort(this._attempt, from, place, false));
      from = place + 1;
      claim._abort();
    });
    if (this._core._number === NONE$1) return false;
    if (clear || from < captured.length)
      value(binding.attemptAbort(this._attempt, from, captured.length, clear));
    // Whoever listens to the queue may have ended the core.
    return this._core._number !== NONE$1;
  }
  /** @internal Starter: makes the attempt. */
  _begin(attempt) {
    if (this._capture(true)) this._make(attempt);
  }
  /** @internal Another member: its part, or what stands for one. */
  _take(part) {
    if (!this._capture(false)) return;
    if (part !== undefined) {
      this._make(part);
      return;
    }
    const runs = value(binding.hasOwnRuns(this._attempt)) === 1;
    this._settle(runs ? { ok: false, error: reasoned(GENERATION_FOREIGN, this) } : { ok: true });
  }
  _make(attempt) {
    attempted(() => attempt(this)).then(
      () => this._settle({ ok: true }),
      (error) => this._settle({ ok: false, error }),
    );
  }
  _settle(outcome) {
    if (this._attempt < 0) return;
    this._outcome = outcome;
    const crossed = !outcome.ok && this._core._shared ? cross(outcome.error) : undefined;
    const settled = value(binding.attemptSettled(this._attempt, outcome.ok, crossed));
    // The session has met a fault of ours and will tell nobody: those who wait here are.
    if (settled < 0) this._fail(refusal$1(settled, this));
  }
  _fail(error) {
    this._whole?.reject(error);
    for (const each of this._draining.splice(0)) each.reject(error);
  }
  _collect() {
    const attempt = this._attempt;
    const count = value(binding.failures(attempt, target()));
    // What is told of a session that has met a fault of ours is that.
    if (count < 0) return [refusal$1(count, this)];
    const places = list(count);
    return places.map((place) => {
      const own = this._captured[place];
      return own ? own._failure() : uncross(textOf(binding.failureText(attempt, place)));
    });
  }
  /** @internal */
  _drained(failed) {
    const draining = this._draining;
    this._draining = [];
    for (const each of draining) each.resolve(failed === 0 ? [] : this._collect());
  }
  /** @internal */
  _lifted(gone) {
    const whole = this._whole;
    if (gone) whole?.reject(closedError());
    else if (this._outcome === undefined || this._outcome.ok) whole?.resolve();
    else whole?.reject(this._outcome.error);
  }
  /** @internal Nothing is asked of Rust any more: the handle keeps what it needs. */
  _over(word) {
    const slot = this._attempt;
    if (slot < 0) return;
    if ((word & 1) === 0) {
      this._failures = [];
      this._attempt = (word & 2) !== 0 ? OVER_OPENED : OVER;
    } else {
      this._failures = this._collect();
      handles[slot] = undefined;
      this._attempt = value(binding.attemptForget(slot)) === 1 ? OVER_OPENED : OVER;
    }
    this._drain();
  }
  /** @internal */
  _end() {
    if (this._attempt < 0) return;
    this._failures ??= [];
    this._attempt = OVER;
    this._whole?.reject(closedError());
    this._drain();
  }
  _drain() {
    for (const each of this._draining.splice(0)) each.resolve([...(this._failures ?? [])]);
  }
}
/** A stop of another member that this one has joined. */
class JoinedStop {
  #deferred = new Deferred();
  #slot;
  constructor(slot) {
    this.#slot = slot;
    handles[slot] = this;
    quiet(this.#deferred.promise);
  }
  get promise() {
    return this.#deferred.promise;
  }
  _joined(how) {
    const text = textOf(binding.joinedForget(this.#slot));
    handles[this.#slot] = undefined;
    if (how === 0) this.#deferred.resolve();
    else this.#deferred.reject(how === 1 ? uncross(text) : closedError());
  }
  _end() {
    this.#deferred.reject(closedError());
  }
}
const textOf = (text) => (typeof text === 'string' ? text : undefined);
function reference$3(self) {
  const slot = self?._attempt;
  if (typeof slot !== 'number') throw invalidThis('StopAttempt');
  return slot;
}

const CLAIM_FOREIGN = reason('ClaimForeign');
/** No id that anybody could ask for. */
const NOTHING = {};
/** Cores that were forgotten unclosed: a weak backstop. Whatever they hold keeps them reachable. */
const forgotten$2 = new FinalizationRegistry((core) => end(core));
let awaiting = false;
/** What another thread has posted keeps this one from ending unheard; an idle member does not. */
function awaitDeliveries() {
  if (awaiting) return;
  awaiting = true;
  process.on('beforeExit', () => void value(binding.keepWaiting()));
}
function end(core) {
  value(binding.closeBegin(core));
  const coded = binding.closeEnd(core, target());
  for (const slot of acceptedList(coded, {})) {
    const handle = handles[slot];
    handles[slot] = undefined;
    handle?._end?.();
  }
}
/**
 * The in-memory facts of an agent runtime's kernel: who may run, who is stopping, who holds which
 * message. One record per session, in Rust; nothing of it is durable.
 *
 * Private by default. Cores of one `scope` are its members and share claims, registered runs, mutations,
 * stop attempts, the stop quarantine, steering queues, generation ids and phases, and admission; handles,
 * values, promises, interaction requests, invalidations, checkpoint slots, activations in flight and
 * serial lanes stay with their member. Members may live in any worker thread of the process.
 *
 * A method is synchronous unless it returns a Promise; a call throws and changes nothing, or is applied
 * as a whole. One that returns a Promise rejects and never throws. Wrong arguments are a `TypeError`
 * `ERR_INVALID_ARG_TYPE` that names the argument; a detached method is `ERR_INVALID_THIS`; after `close`
 * every call is `ERR_CLOSED`; a fault of tenure itself is `ERR_INTERNAL`, for the session it happened in.
 * Seed 3.
 */
class RuntimeCore {
  /** The runtime's active operations, one registry for all members of the scope. */
  operations;
  /** @internal */
  _number;
  /** @internal Members of a scope pass words, since another may have to read them. */
  _shared;
  _options;
  _ids;
  _clock;
  _part;
  /** The session looked up last: Rust keeps its entry until another one is looked up. */
  _lastId = NOTHING;
  _lastEntry = 0;
  /** `ERR_INVALID_ARG_TYPE`. */
  constructor(options) {
    const given = object(options, 'options');
    this._options = given;
    this._ids = callable(given.newId, 'options.newId');
    this._clock = callable(given.now, 'options.now');
    const { scope, onForeignStop } = given;
    if (scope !== undefined) nonEmpty(scope, 'options.scope');
    if (onForeignStop !== undefined) callable(onForeignStop, 'options.onForeignStop');
    this._part = onForeignStop;
    this._shared = scope !== undefined;
    const self = new WeakRef(this);
    this._number = accepted$1(
      binding.openCore(scope, () => self.deref()?._deliver()),
      {},
    );
    if (this._shared) awaitDeliveries();
    this.operations = ApplicationOperationService._of(this);
    forgotten$2.register(this, this._number, this);
  }
  /**
   * Ends this core's part as the end of its thread would: live claims fail, leases go back, registrations
   * and mutations end, waiters are told (`ERR_CLOSED`). Idempotent. Every later call but this one is
   * `ERR_CLOSED`; `release`, `settle`, `finalize` and `leaveGeneration` of its handles do nothing.
   */
  close() {
    const core = number(this);
    if (core === NONE$1) return;
    this._number = NONE$1;
    this._lastId = NOTHING;
    forgotten$2.unregister(this);
    end(core);
  }
  /** `close`. */
  [Symbol.dispose]() {
    RuntimeCore.prototype.close.call(this);
  }
  // -- executions -----------------------------------------------------------
  /**
   * Without `pending`: a fresh claim, phase `pending`; `ERR_SESSION_STOPPING` while a stop attempt stands.
   * With `pending`: that same claim, provided it was issued by this core for this session and is still
   * `pending`, else `ERR_CLAIM_FOREIGN`; allowed during a stop.
   */
  claimExecution(sessionId, pending) {
    const entry = entryOf(this, sessionId);
    if (pending !== undefined) return this._own(entry, sessionId, object(pending, 'pending'));
    const slot = value(binding.claim(entry));
    if (slot < 0) throw refusal$1(slot, { sessionId });
    return (handles[slot] = ExecutionClaim._make(this, sessionId, slot));
  }
  /** Any run registered on any generation of the session, current or not, of any member. */
  hasActiveRuns(sessionId) {
    const core = number(this);
    if (sessionId === this._lastId)
      return accepted$1(binding.entryHasActiveRuns(this._lastEntry), {}) !== 0;
    return accepted$1(binding.hasActiveRuns(core, nonEmpty(sessionId, 'sessionId')), {}) !== 0;
  }
  /** That very run, and of that turn if given. */
  hasActiveRun(sessionId, runId, turnId) {
    const core = number(this);
    nonEmpty(sessionId, 'sessionId');
    string(runId, 'runId');
    optionalString(turnId, 'turnId');
    if (sessionId === this._lastId)
      return accepted$1(binding.entryHasActiveRun(this._lastEntry, runId, turnId), {}) !== 0;
    return accepted$1(binding.hasActiveRun(core, sessionId, runId, turnId), {}) !== 0;
  }
  /** The run owning `turnId` on the route's current generation, if that is this member's. O(1). */
  runForTurn(sessionId, route, turnId) {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    string(turnId, 'turnId');
    return this._run(binding.runForTurn(entry, route, turnId));
  }
  /** The run with that id on the route's current generation, if that is this member's. O(1). */
  activeRun(sessionId, route, runId) {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    string(runId, 'runId');
    return this._run(binding.activeRun(entry, route, runId));
  }
  /**
   * The distinct turns of the runs registered on any generation of the session, of any member, in
   * creation order of the generations, then by age.
   */
  activeTurnIds(sessionId) {
    const core = number(this);
    return acceptedTexts(binding.activeTurnIds(core, nonEmpty(sessionId, 'sessionId')), {});
  }
  // -- session mutations ------------------------------------------------------
  /**
   * Queues `task` on all the sessions in one step (a repeated id counts once) and runs it, never
   * synchronously, after every mutation queued before on any of them, failed or not. Sets that overlap in
   * any order never deadlock. Claims made from this call on wait for it in `enter`; earlier claims and
   * active runs do not, and it does not wait for them.
   *
   * `quiescent` rejects, queueing nothing, with `ERR_SESSION_BUSY` if a session has a live claim at the
   * call. An empty set or id rejects with `ERR_INVALID_ARG_TYPE`. The promise is the caller's: a rejection
   * must be handled. A task that mutates one of its own sessions, or waits for a claim made since or for a
   * stop that captured one, waits for ever.
   */
  mutateSessions(sessionIds, task, options) {
    try {
      number(this);
      const ids = strings(sessionIds, 'sessionIds', false);
      if (ids.length === 0) throw invalidArgument('sessionIds', 'a non-empty array');
      callable(task, 'task');
      const { quiescent = false } = options === undefined ? {} : object(options, 'options');
      if (typeof quiescent !== 'boolean') throw invalidArgument('options.quiescent', 'a boolean');
      const queued = binding.mutate(this._number, ids, quiescent);
      if (typeof queued !== 'number') throw busy(queued);
      const taken = accepted$1(queued, {});
      return Task.mutation(task, taken >> 1, (taken & 1) !== 0);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  // -- interaction requests ---------------------------------------------------
  /** The session's open request with that id. */
  request(sessionId, requestId) {
    const entry = entryOf(this, sessionId);
    const open = accepted$1(binding.request(entry, string(requestId, 'requestId')), {});
    return open === 0 ? undefined : handles[open - 1];
  }
  /** The session's open requests, in the order opened. */
  requests(sessionId) {
    const slots = acceptedList(binding.requests(entryOf(this, sessionId), target()), {});
    return slots.map((slot) => handles[slot]);
  }
  // -- stop ---------------------------------------------------------------------
  /**
   * Starts the session's stop attempt, or returns the promise of the one that stands (the same object).
   * Starting, in this order and before returning: refuses new claims, captures the live ones and flags
   * them; calls `onStop` of every captured claim that has a run, in claim order; aborts the `stopSignal`
   * of every captured claim; drops queued steering and followup texts (leases stay), delivering the
   * snapshot; calls `attempt(stop)`. The attempt is lifted when `attempt`'s promise has settled, and in a
   * scope every other member's part, before the returned promise does, which settles alike.
   *
   * In a scope `input` is carried to other members as JSON; what JSON refuses rejects and starts nothing.
   */
  stopSession(sessionId, input, attempt) {
    try {
      let entry = entryOf(this, sessionId);
      callable(attempt, 'attempt');
      let stopped = accepted$1(binding.stop(entry, undefined), { sessionId });
      if ((stopped & 3) === 2) {
        // Runs the caller's code: what stood before may have changed.
        const text = JSON.stringify(input) ?? '';
        entry = this._entry(sessionId);
        stopped = accepted$1(binding.stop(entry, text), { sessionId });
      }
      const slot = stopped >> 2;
      if ((stopped & 3) === 0) return handles[slot]._promise;
      if ((stopped & 3) === 1) return (handles[slot] ?? new JoinedStop(slot)).promise;
      const stop = StopAttempt._start(this, sessionId, slot, input);
      stop._begin(attempt);
      return stop._promise;
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }
  // -- steering -----------------------------------------------------------------
  /**
   * Makes the turn the owner of the session's queue; a later turn takes ownership over. `onUpdate` gets a
   * snapshot synchronously, inside the call that changed the queue and after the change, whichever turn
   * caused it, while this turn is the owner; as a macrotask when another member caused it. Opening
   * delivers none. Leave it out when nobody looks: no snapshot is built then.
   */
  openSteeringTurn(sessionId, turnId, onUpdate) {
    const entry = entryOf(this, sessionId);
    string(turnId, 'turnId');
    if (onUpdate !== undefined) callable(onUpdate, 'onUpdate');
    const slot = accepted$1(binding.openTurn(entry, turnId, onUpdate !== undefined), { sessionId });
    return SteeringTurn._make(this, sessionId, turnId, slot, onUpdate);
  }
  /**
   * Queues a text for the owning turn's next `pull`. False, changing nothing and drawing no id, without
   * an owner.
   */
  steer(sessionId, text) {
    number(this);
    return this._queue(sessionId, text, false);
  }
  /** Queues a text for the next turn. False, changing nothing, without an owner. */
  queueMessage(sessionId, text) {
    number(this);
    return this._queue(sessionId, text, true);
  }
  /** Takes the followup texts, oldest first. Works without an owner. */
  drainFollowup(sessionId) {
    entryOf(this, sessionId);
    return takeQueue(this, sessionId, false);
  }
  /** Takes queued steering, then followup texts. Leased messages are committed and stay. */
  retractQueue(sessionId) {
    entryOf(this, sessionId);
    return takeQueue(this, sessionId, true);
  }
  // -- backend generations ------------------------------------------------------
  /** The route's current generation, if it is this member's. */
  currentGeneration(sessionId, route) {
    const entry = entryOf(this, sessionId);
    optionalString(route, 'route');
    const current = accepted$1(binding.currentGeneration(entry, route), {});
    return current === 0 ? undefined : handles[current - 1];
  }
  /** Every generation of the session that this member made and that is not terminated, in creation order. */
  generations(sessionId) {
    const slots = acceptedList(binding.generations(entryOf(this, sessionId), target()), {});
    return slots.map((slot) => handles[slot]);
  }
  /**
   * The route's current generation; else the result of the activation in flight for the route (the same
   * promise, and the same rejection); else of `build`, called before returning. The promise is the
   * caller's: a rejection must be handled. Rejects with `ERR_GENERATION_FOREIGN` when the route's backend
   * lives with another member.
   *
   * With the `claim` for which it is asked, whoever joins a build that a stop cut short is rejected with
   * the cancellation of that claim, if the stop has captured it too, and not with the builder's.
   * `ERR_CLAIM_FOREIGN` for a claim of another core or session.
   */
  activate(sessionId, route, build, claim) {
    try {
      const entry = entryOf(this, sessionId);
      optionalString(route, 'route');
      callable(build, 'build');
      if (claim !== undefined) {
        if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
        if (claim._core !== this || claim.sessionId !== sessionId)
          throw reasoned(CLAIM_FOREIGN, { sessionId });
      }
      const activated = accepted$1(binding.activate(entry, route), { sessionId });
      const slot = activated >> 2;
      if ((activated & 3) === 0) return Promise.resolve(handles[slot]);
      if ((activated & 3) === 1) {
        const joined = handles[slot];
        return claim === undefined ? joined : joined.catch((error) => claim._joins(error));
      }
      return this._build(slot, build);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /**
   * Registers a built backend as a new generation in phase `active`. In the same step it becomes the
   * route's current one, unless a stop has captured `claim` or the route lives with another member: then
   * `isCurrent` is false and the caller must dispose it. Ids ascend from 1 within a scope.
   * `ERR_CLAIM_FOREIGN` for another core's claim.
   */
  createGeneration(claim, route, backend, header) {
    if (number(this) === NONE$1) throw closedError();
    if (!(claim instanceof ExecutionClaim)) throw invalidArgument('claim', 'an ExecutionClaim');
    optionalString(route, 'route');
    const { sessionId } = claim;
    if (claim._core !== this) throw reasoned(CLAIM_FOREIGN, { sessionId });
    const entry = entryOf(this, sessionId);
    const answer = binding.createGeneration(entry, claim._claim, route, target());
    const [slot, id] = acceptedList(answer, { sessionId });
    const made = BackendGeneration._make(this, sessionId, id, route, backend, header, slot);
    handles[slot] = made;
    return made;
  }
  /** Ids of the sessions that hold a generation or an invalidation of this member. */
  cachedSessions() {
    return acceptedTexts(binding.cachedSessions(number(this)), {});
  }
  // -- invalidation -------------------------------------------------------------
  /** The session's invalidation, opened if there is none. */
  invalidate(sessionId) {
    const opened = accepted$1(binding.invalidate(entryOf(this, sessionId)), {});
    const slot = opened >> 1;
    return (opened & 1) !== 0 ? BackendInvalidation._make(sessionId, slot) : handles[slot];
  }
  /** The session’s invalidation, if there is one of this member. */
  invalidation(sessionId) {
    number(this);
    return this._invalidation(sessionId, false);
  }
  /** The invalidation if it may run now, that is if the session has no active run in any member. */
  dueInvalidation(sessionId) {
    number(this);
    return this._invalidation(sessionId, true);
  }
  // -- checkpoint slot ------------------------------------------------------------
  /**
   * The stored checkpoint (which may be `undefined`); else the load in flight (the same promise); else
   * `load`, called before returning. Its value is stored unless a checkpoint was stored meanwhile, which
   * then is the result, or the slot was dropped by a disposal. The promise is the caller's: a rejection
   * must be handled.
   */
  loadCheckpoint(sessionId, load) {
    try {
      const entry = entryOf(this, sessionId);
      callable(load, 'load');
      const answer = acceptedList(binding.checkpointLoad(entry, target()), { sessionId });
      const [kind, slot, flight] = answer;
      if (kind === 0) return Promise.resolve(handles[slot].value);
      if (kind === 1) return handles[slot].loading;
      return this._load(sessionId, slot, flight, load);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /**
   * Keeps a checkpoint in the session’s slot, in memory, over whatever was or is being loaded
   * there.
   */
  storeCheckpoint(sessionId, checkpoint) {
    const slot = accepted$1(binding.checkpointStore(entryOf(this, sessionId)), { sessionId });
    const cell = handles[slot];
    handles[slot] = { value: checkpoint, loading: cell?.loading };
  }
  // -- serial lanes -----------------------------------------------------------------
  /**
   * Runs `task` (never synchronously) after every earlier task of the lane, failed or not. The promise is
   * the caller's: a rejection must be handled. `ERR_CLOSED` when the core ends before it has started.
   */
  serialize(sessionId, lane, task) {
    try {
      const entry = entryOf(this, sessionId);
      string(lane, 'lane');
      callable(task, 'task');
      const queued = accepted$1(binding.serialize(entry, lane), { sessionId });
      return Task.lane(task, queued >> 1, (queued & 1) !== 0);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  // -- figures ------------------------------------------------------------------------
  /** Live records of the scope, for leak tests: both 0 once everything is released and disposed. */
  stats() {
    const core = number(this);
    const sessions = accepted$1(binding.liveSessions(core), {});
    return { sessions, admissions: accepted$1(binding.admissions(core), {}) };
  }
  // -- inside ---------------------------------------------------------------------------
  /** @internal */
  _entry(sessionId) {
    if (sessionId === this._lastId) return this._lastEntry;
    const core = number(this);
    nonEmpty(sessionId, 'sessionId');
    const entry = accepted$1(binding.open(core, sessionId), { sessionId });
    this._lastId = sessionId;
    this._lastEntry = entry;
    return entry;
  }
  /** @internal */
  _attempt(slot) {
    return handles[slot] ?? StopAttempt._part(this, slot);
  }
  /** @internal */
  _now() {
    const now = this._clock.call(this._options);
    if (typeof now !== 'number') throw invalidArgument('the result of now', 'a number');
    return now;
  }
  /** @internal */
  _newId() {
    return string(this._ids.call(this._options), 'the result of newId');
  }
  _deliver() {
    const core = this._number;
    if (core === NONE$1) return;
    delivering(core, (slot) => this._attempt(slot)._take(this._part));
  }
  _own(entry, sessionId, pending) {
    const owns =
      pending instanceof ExecutionClaim &&
      pending._core === this &&
      value(binding.claimOwns(entry, pending._claim)) >= 0;
    if (!owns) throw reasoned(CLAIM_FOREIGN, { sessionId });
    return pending;
  }
  _run(coded) {
    const claim = accepted$1(coded, {});
    return claim === 0 ? undefined : handles[claim - 1]._riders?.run;
  }
  _queue(sessionId, text, nextTurn) {
    let entry = this._entry(sessionId);
    if (typeof text !== 'string') throw invalidArgument('text', 'a string');
    let id = '';
    if (!nextTurn) {
      const owned = value(binding.hasOwner(entry));
      if (owned < 0) throw refusal$1(owned, { sessionId });
      if (owned === 0) return false;
      id = this._newId();
      // `newId` is the caller's: it may have called the core, or closed it.
      entry = this._entry(sessionId);
    }
    if (this._shared)
      return accepted$1(binding.queueSaid(entry, nextTurn, id, text), { sessionId }) !== 0;
    const coded = binding.queue(entry, nextTurn);
    const slot = coded >> 1;
    if (slot < 0) throw refusal$1(slot, { sessionId });
    if (slot > 0) handles[slot - 1] = { id, text };
    if ((coded & 1) !== 0) drain();
    return slot > 0;
  }
  _build(slot, build) {
    const flight = new Deferred();
    handles[slot] = flight.promise;
    const end = () => {
      if (handles[slot] !== flight.promise) return;
      handles[slot] = undefined;
      value(binding.activated(slot));
    };
    attempted(build).then(
      (generation) => {
        end();
        flight.resolve(generation);
      },
      (error) => {
        end();
        flight.reject(error);
      },
    );
    return flight.promise;
  }
  _load(sessionId, slot, flight, load) {
    const loading = new Deferred();
    handles[slot] = { value: undefined, loading: loading.promise };
    const loaded = (ok, own) => {
      if (this._number === NONE$1) return own;
      const answer = value(binding.checkpointLoaded(this._entry(sessionId), flight, ok));
      if ((answer & 3) === 1) handles[answer >> 2] = { value: own, loading: undefined };
      return (answer & 3) === 2 ? handles[answer >> 2].value : own;
    };
    attempted(load).then(
      (own) => loading.resolve(loaded(true, own)),
      (error) => {
        loaded(false, undefined);
        loading.reject(error);
      },
    );
    return loading.promise;
  }
  _invalidation(sessionId, due) {
    const open = accepted$1(binding.invalidation(this._entry(sessionId), due), {});
    return open === 0 ? undefined : handles[open - 1];
  }
}
/** The session's entry, for a method that may have been called on anything. */
function entryOf(self, sessionId) {
  number(self);
  return self._entry(sessionId);
}
function number(self) {
  const core = self?._number;
  if (typeof core !== 'number') throw invalidThis('RuntimeCore');
  return core;
}

/**
 * A vm context of Node.js 20 lacks `Symbol.dispose` and `Symbol.asyncDispose`, which `using` asks for
 * there by the symbols that Node.js itself registers: the method that the class has then under the key
 * of nothing is moved.
 */
function moved(type, symbol, name) {
  if (symbol !== undefined) return;
  const { prototype } = type;
  const method = Object.getOwnPropertyDescriptor(prototype, 'undefined');
  if (method === undefined) return;
  Object.defineProperty(prototype, Symbol.for(name), method);
  Reflect.deleteProperty(prototype, 'undefined');
}
const disposable = (type) => moved(type, Symbol.dispose, 'nodejs.dispose');
const asyncDisposable = (type) => moved(type, Symbol.asyncDispose, 'nodejs.asyncDispose');

/** By its shape: a signal of another realm (jsdom, a vm context) serves as well. */
const isSignal = (value) =>
  typeof value === 'object' &&
  value !== null &&
  typeof value.aborted === 'boolean' &&
  typeof value.addEventListener === 'function';
function signalOf(value, name) {
  if (value !== undefined && !isSignal(value)) throw invalidArgument(name, 'an AbortSignal');
  return value;
}
/** Why it was aborted. What a getter throws in its place is the reason, so that nobody waits for ever. */
function reasonOf(signal) {
  try {
    return signal?.reason;
  } catch (error) {
    return error;
  }
}
/** One listener a signal, for all who wait on it: beyond ten of them Node.js warns of a leak. */
const listening$1 = new WeakMap();
function listen(signal) {
  const acts = new Set();
  const stop = () => {
    listening$1.delete(signal);
    signal.removeEventListener('abort', abort);
  };
  const abort = () => {
    stop();
    // One of those who act may end the wait of another.
    for (const act of acts) {
      acts.delete(act);
      act();
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  const made = { acts, stop };
  listening$1.set(signal, made);
  return made;
}
/** Acts when the signal aborts, in the order asked for. Gives what ends that. `act` must not throw. */
function onAbort(signal, act) {
  const { acts, stop } = listening$1.get(signal) ?? listen(signal);
  acts.add(act);
  return () => {
    if (acts.delete(act) && acts.size === 0) stop();
  };
}

const GRANTED = 0;
const REFUSED$1 = -1;
/** Limiters whose handle is gone. */
const unused$4 = new FinalizationRegistry((limiter) => {
  value(binding.limiterDrop(limiter));
});
/** Someone who waits, by ticket: the promise and the signal, which only JavaScript can hold. */
class Waiter {
  deferred = new Deferred();
  signal;
  #forget;
  constructor(signal, leave) {
    this.signal = signal;
    this.#forget = signal && onAbort(signal, leave);
  }
  /** The wait is over: no listener stays. */
  forget() {
    this.#forget?.();
    return this;
  }
}
/**
 * A limited number of permits, granted in the order asked for. Bound to the thread that made it, and to
 * no session. Seed 3.
 */
class AdmissionLimiter {
  /** How many permits there are. */
  capacity;
  _limiter;
  _waiters = Object.create(null);
  _closed = undefined;
  /** `ERR_OUT_OF_RANGE` unless a positive safe integer. */
  constructor(capacity) {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw outOfRange('capacity must be a positive safe integer');
    this.capacity = capacity;
    this._limiter = value(binding.limiterOpen(capacity));
    unused$4.register(this, this._limiter);
  }
  /** Permits that are taken, now. */
  get activeCount() {
    return binding.limiterActive(reference$2(this));
  }
  /** Read before `acquire` in the same tick, it tells whether that call would wait. */
  get waitingCount() {
    return binding.limiterWaiting(reference$2(this));
  }
  /**
   * Takes a permit, or a place in the queue, before returning. An abort gives the place up and rejects
   * with the signal's reason; it never takes back a permit that was granted. The promise is the
   * caller's: a rejection must be handled. After `close` it rejects with the error given there.
   */
  acquire(signal) {
    try {
      const limiter = reference$2(this);
      signalOf(signal, 'signal');
      if (signal?.aborted)
        throw value(binding.limiterIsClosed(limiter)) === 1 ? this._closed : signal.reason;
      const ticket = binding.limiterAcquire(limiter);
      flushSoon$1();
      if (ticket === REFUSED$1) throw this._closed;
      if (ticket === GRANTED) return Promise.resolve(AdmissionPermit._make(this));
      return this._wait(ticket - 1, signal).deferred.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /** Rejects those who wait and every later `acquire` with `error`. Permits stay valid. The first call counts. */
  close(error) {
    const limiter = reference$2(this);
    object(error, 'error');
    if (this._closed !== undefined) return;
    this._closed = error;
    for (const ticket of acceptedList(binding.limiterClose(limiter, target()), {}))
      this._take(ticket)?.deferred.reject(error);
  }
  /** @internal */
  _release() {
    value(binding.limiterRelease(this._limiter));
    this._grant();
  }
  _wait(ticket, signal) {
    const leave = () => value(binding.limiterLeave(this._limiter, ticket)) === 1;
    try {
      const waiter = new Waiter(signal, () => {
        if (!leave()) return;
        this._take(ticket)?.deferred.reject(reasonOf(signal));
        this._grant();
      });
      this._waiters[ticket] = waiter;
      return waiter;
    } catch (error) {
      // The signal is the caller's: one that cannot be listened to takes no place.
      leave();
      throw error;
    }
  }
  _take(ticket) {
    const waiter = this._waiters[ticket];
    delete this._waiters[ticket];
    return waiter?.forget();
  }
  /** Hands free places on, passing over those whose signal is aborted and whose listener has yet to run. */
  _grant() {
    for (;;) {
      const ticket = binding.limiterNext(this._limiter);
      if (ticket < 0) return;
      const waiter = this._waiters[ticket];
      const passed = waiter === undefined || waiter.signal?.aborted === true;
      if (passed) {
        value(binding.limiterLeave(this._limiter, ticket));
        this._take(ticket)?.deferred.reject(reasonOf(waiter?.signal));
      } else if (value(binding.limiterGrant(this._limiter, ticket)) === 1) {
        this._take(ticket)?.deferred.resolve(AdmissionPermit._make(this));
      }
    }
  }
}
/**
 * One of a limited number of places. Seed 3.
 */
class AdmissionPermit {
  _of;
  _held = true;
  constructor(maker, limiter) {
    made(maker, 'AdmissionPermit');
    this._of = limiter;
  }
  /** @internal */
  static _make(limiter) {
    return new AdmissionPermit(MAKER, limiter);
  }
  /** Idempotent. Grants the permit to the longest waiting, in the same step. */
  release() {
    if (typeof this?._held !== 'boolean') throw invalidThis('AdmissionPermit');
    if (!this._held) return;
    this._held = false;
    this._of._release();
  }
  /** `release`, so that `using` works. */
  [Symbol.dispose]() {
    AdmissionPermit.prototype.release.call(this);
  }
}
function reference$2(self) {
  const limiter = self?._limiter;
  if (typeof limiter !== 'number') throw invalidThis('AdmissionLimiter');
  return limiter;
}

const MARK = '!'.charCodeAt(0);
function causeOf({ message, errno }) {
  const cause = new Error(message);
  if (errno !== undefined) {
    cause.errno = errno;
    cause.code = node_util.getSystemErrorName(-errno);
  }
  return cause;
}
/** The error of a refusal. */
function errorOf(refused) {
  const { code, message, cause, ...fields } = refused;
  if (code === 'ERR_RESULT_REFUSED') return ResultRefused._of(message, fields);
  if (code === 'ERR_OUT_OF_RANGE') return outOfRange(message);
  if (code === 'ERR_INVALID_ARG_VALUE') return invalidValue(fields.path ?? 'options', message);
  const options = cause === undefined ? fields : { ...fields, cause: causeOf(cause) };
  return new TenureError(code, message, options);
}
/** What a call gives; a refusal is thrown. */
function accepted(answer) {
  if (typeof answer === 'string' && answer.charCodeAt(0) === MARK)
    throw errorOf(JSON.parse(answer.slice(1)));
  // No answer is below zero: a panic of ours was caught.
  if (typeof answer === 'number' && answer < 0)
    throw new TenureError('ERR_INTERNAL', 'A fault of tenure itself');
  return answer;
}

// The first settles nearly every name without the classes of Unicode.
const USUAL = /^[ -~]{1,128}$/;
const IDENTIFIER = /^[^\p{Cc}\p{Cs}]{1,128}$/u;
const LONE_SURROGATE = /\p{Cs}/u;
const EXPECTED = 'without control characters or lone surrogates';
/** Whether every surrogate is one half of a pair, so that the text has a form in UTF-8. */
const isWellFormed = (text) => !LONE_SURROGATE.test(text);
/** 1 to 128 Unicode scalar values, none of them a control character. */
const isIdentifier = (text) => USUAL.test(text) || IDENTIFIER.test(text);
/** What names an operation. */
function identifier(value, name) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!isIdentifier(value)) throw invalidValue(name, `of 1 to 128 characters, ${EXPECTED}`);
  return value;
}
/** What names a scope: as an identifier, but it may be empty. */
function scope(value, name) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (value !== '' && !isIdentifier(value))
    throw invalidValue(name, `of at most 128 characters, ${EXPECTED}`);
  return value;
}
/** A scope that may be left out: then it is the empty one. */
const scopeOf = (value, name) => (value === undefined ? '' : scope(value, name));

const NONE = 0xffffffff;
/** Calls that wait for their answer, by ticket. */
const calls = new Map();
/** Streams by the number of their watcher or follower: held by who reads them, not by us. */
const watchers = new Map();
const followers = new Map();
/** Started runners. */
const runners = new Map();
/** Tickets are the letter box of this face, in the higher bits, and a number. */
const NUMBERS = 1 << 20;
let box = -1;
let last = 0;
let flushes = false;
/** The list of what other threads have for this one is fetched at once, and read in order. */
function deliver() {
  const mail = binding.mail(letterBox());
  let at = 0;
  const number = () => mail[at++];
  const text = () => mail[at++];
  while (at < mail.length) {
    switch (number()) {
      case 0:
        settle(number(), text());
        break;
      case 1:
        watchers.get(number())?.deref()?._wake();
        break;
      case 2:
        followers.get(number())?.deref()?._wake();
        break;
      case 3:
        runners.get(number())?._asked(number(), number(), text(), text());
        break;
      case 4:
        settle(number(), 'null');
        break;
    }
  }
}
function settle(ticket, answer) {
  const call = calls.get(ticket);
  calls.delete(ticket);
  try {
    call?.resolve(accepted(answer));
  } catch (error) {
    call?.reject(error);
  }
}
/** The letter box of this face: what other threads have for it goes there. */
function letterBox() {
  if (box < 0) box = value(binding.openMail(deliver)) * NUMBERS;
  if (box < 0) throw new TenureError('ERR_INTERNAL', 'There are too many copies of the package');
  return box;
}
let ends = false;
/** What an eventual journal has acknowledged survives the orderly end of the process: Node.js ends none of our handles then. */
function flushAtExit() {
  if (ends) return;
  ends = true;
  process.once('exit', () => binding.flushJournals());
}
function flush() {
  flushes = false;
  binding.flushCalls();
}
/** Calls made in one tick, by whatever microtask, are handed over together and share a commit. */
function flushSoon() {
  if (flushes) return;
  flushes = true;
  void Promise.resolve().then(() => process.nextTick(flush));
}
/** A call whose answer comes by mail. */
function asked(issue) {
  const mine = letterBox();
  do last = (last + 1) % NUMBERS;
  while (calls.has(mine + last));
  const ticket = mine + last;
  accepted(issue(ticket));
  const call = new Deferred();
  calls.set(ticket, call);
  flushSoon();
  return call.promise;
}
/** A call that is done when it returns. */
const now = (issue) => accepted(issue(NONE));

/** How many objects and arrays may stand around one another; the outermost counts as 1. */
const MAX_DEPTH = 128;
/**
 * The JSON text of an object, as `JSON.stringify` writes it; but what that would change in silence,
 * or not finish, is refused. `toJSON`, getters and proxies run once each, and what they throw passes
 * unchanged. `why` goes on from the name of the value: "is a function".
 *
 * A copy is what is written, so that nothing that has been looked at can be another thing when it is
 * written. Two passes over plain data cost less than one that writes text piece by piece.
 */
function plain(value, refuse) {
  const copy = new Copy(refuse).whole(value);
  // Arrays cannot go without a prototype as the copied objects do.
  if ('toJSON' in Array.prototype) hideToJSON(copy);
  const text = JSON.stringify(copy);
  // A lone surrogate is written as an escape, and so rarely is anything else that begins alike
  // that strings need not be looked at one by one.
  if (text.includes('\\ud')) {
    const path = illFormed(copy, '');
    if (path !== undefined) throw refuse(path, 'holds a lone surrogate');
  }
  return text;
}
/** Made by `new`, and so of one shape, unlike what `Object.create(null)` makes. */
const Members = function () {};
// No member is inherited: `__proto__` and `toJSON` are names like any other.
Members.prototype = Object.freeze(Object.create(null));
class Copy {
  #refuse;
  /** By depth: the name under which the value being read was found. */
  #names = [];
  /** By depth: the objects and arrays around it. */
  #around = [];
  constructor(refuse) {
    this.#refuse = refuse;
  }
  whole(value) {
    const copy = this.#copy(value, '', 0);
    if (typeof copy !== 'object' || copy === null || Array.isArray(copy))
      throw this.#refused(0, 'is no object in its JSON form');
    return copy;
  }
  /** `undefined` for what has no form, as `JSON.stringify` has it of undefined alone. */
  #copy(given, name, depth) {
    let value = given;
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        break;
      default: {
        if (value === null) return null;
        const { toJSON } = value;
        if (typeof toJSON === 'function') value = Reflect.apply(toJSON, value, [`${name}`]);
        if (typeof value === 'object' && value !== null && !isPlain(value)) {
          this.#assertKind(value, depth);
          if (node_util.types.isBoxedPrimitive(value)) value = unboxed(value);
        }
      }
    }
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        if (!Number.isFinite(value)) throw this.#refused(depth, `is ${value}`);
        return value;
      case 'object':
        return value === null ? null : this.#container(value, depth);
      default:
        throw this.#refused(depth, `is a ${typeof value}`);
    }
  }
  #container(value, depth) {
    const around = this.#around;
    for (let outer = 0; outer < depth; outer += 1)
      if (around[outer] === value) throw this.#refused(depth, 'is inside itself');
    if (depth === MAX_DEPTH)
      throw this.#refused(depth, `is nested more than ${MAX_DEPTH} levels deep`);
    around[depth] = value;
    return Array.isArray(value) ? this.#list(value, depth) : this.#members(value, depth);
  }
  #list(value, depth) {
    const length = value.length;
    const copy = [];
    for (let index = 0; index < length; index += 1) {
      this.#names[depth] = index;
      const item = this.#copy(value[index], index, depth + 1);
      if (item === undefined) throw this.#refused(depth + 1, 'is undefined, inside an array');
      copy.push(item);
    }
    return copy;
  }
  #members(value, depth) {
    const copy = new Members();
    for (const name of Object.keys(value)) {
      this.#names[depth] = name;
      const member = this.#copy(value[name], name, depth + 1);
      if (member !== undefined) copy[name] = member;
    }
    return copy;
  }
  #assertKind(value, depth) {
    const kind = KINDS.find(([is]) => is(value));
    if (kind !== undefined) throw this.#refused(depth, `is ${kind[1]}`);
  }
  #refused(depth, why) {
    const path = this.#names.slice(0, depth).reduce((above, name) => below(above, name), '');
    return this.#refuse(path, why);
  }
}
/** Of this realm; any other object is looked at more closely. A proxy is what its traps say it is. */
function isPlain(value) {
  if (Array.isArray(value) || node_util.types.isProxy(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
/** A DOMException of a vm context of Node.js 20 is neither a native error nor of this realm. */
function isError(value) {
  const tag = Object.prototype.toString.call(value);
  return (
    node_util.types.isNativeError(value) ||
    value instanceof Error ||
    tag === '[object DOMException]'
  );
}
/** What `JSON.stringify` makes an empty object of. By what they are, in whatever realm they were made. */
const KINDS = [
  [node_util.types.isMap, 'a Map'],
  [node_util.types.isSet, 'a Set'],
  [node_util.types.isWeakMap, 'a WeakMap'],
  [node_util.types.isWeakSet, 'a WeakSet'],
  [node_util.types.isPromise, 'a promise'],
  [node_util.types.isRegExp, 'a regular expression'],
  [isError, 'an error'],
  [node_util.types.isAnyArrayBuffer, 'an ArrayBuffer'],
  [node_util.types.isArrayBufferView, 'a view of an ArrayBuffer'],
  [node_util.types.isSymbolObject, 'a symbol'],
];
/** As `JSON.stringify` does it: by the conversions of the language, which call `valueOf` and `toString`. */
function unboxed(value) {
  if (node_util.types.isNumberObject(value)) return +value;
  if (node_util.types.isStringObject(value)) return `${value}`;
  if (node_util.types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  return BigInt.prototype.valueOf.call(value);
}
const below = (path, name) => `${path}/${`${name}`.replaceAll('~', '~0').replaceAll('/', '~1')}`;
/** The path of the first string or member name with a lone surrogate; for a name that of the object. */
function illFormed(copy, path) {
  if (typeof copy === 'string') return isWellFormed(copy) ? undefined : path;
  if (typeof copy !== 'object' || copy === null) return undefined;
  for (const [name, member] of Object.entries(copy)) {
    if (!isWellFormed(name)) return path;
    const found = illFormed(member, below(path, name));
    if (found !== undefined) return found;
  }
  return undefined;
}
/** It was asked once already, and a copy has none of its own. */
function hideToJSON(copy) {
  if (typeof copy !== 'object' || copy === null) return;
  if (Array.isArray(copy)) Object.defineProperty(copy, 'toJSON', { value: undefined });
  Object.values(copy).forEach(hideToJSON);
}

/** Reads the arguments of the durable rooms: each member once, and what cannot be recorded is refused. */
const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'];
const TERMINAL = ['succeeded', 'failed', 'cancelled'];
const SUBMISSIONS = ['pending', 'uncertain', 'accepted', 'refused'];
const isTerminal = (state) => TERMINAL.includes(state);
function word(value, name, words) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!words.includes(value)) throw invalidValue(name, `one of ${words.join(', ')}`);
  return value;
}
const stateWord = (value, name) => word(value, name, STATES);
/** A clock's answer: whole milliseconds. What it throws is thrown on. */
function timeOf(clock) {
  const now = clock();
  if (typeof now !== 'number' || !(now >= 0 && now <= Number.MAX_SAFE_INTEGER))
    throw outOfRange('The clock gave no number of milliseconds since the Unix epoch');
  return Math.trunc(now);
}
/** The text of an input: `ERR_INPUT_REFUSED` unless it is plain JSON. */
function inputText(value, name, key) {
  return plain(
    object(value, name),
    (path, why) =>
      new TenureError('ERR_INPUT_REFUSED', `The value at ${path || '/'} ${why}`, { ...key, path }),
  );
}
const refusal = (path, why, key) =>
  ResultRefused._of(`The value at ${path} ${why}`, { ...key, path });
function resultText(value, name, key) {
  return plain(object(value, name), (path, why) => refusal(`/result${path}`, why, key));
}
/** Text that is recorded and shown: a string that is well-formed. */
function shownText(value, name, path, key) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!value.isWellFormed()) throw refusal(path, 'has a lone surrogate', key);
  return JSON.stringify(value);
}
/** The JSON text of a patch. */
function patchText(value, key) {
  const patch = object(value, 'patch');
  const members = [];
  const { state, submission, progress, stage, error, backendReference, result } = patch;
  if (state !== undefined) members.push(`"state":"${stateWord(state, 'patch.state')}"`);
  if (submission !== undefined)
    members.push(`"submission":"${word(submission, 'patch.submission', SUBMISSIONS)}"`);
  if (progress !== undefined && progress !== null && typeof progress !== 'number')
    throw invalidArgument('patch.progress', 'a number, null or undefined');
  // JSON has no word for what is no finite number: 2 is as far out of range.
  if (progress !== undefined)
    members.push(`"progress":${progress === null || Number.isFinite(progress) ? progress : 2}`);
  for (const [name, text] of [
    ['stage', stage],
    ['error', error],
  ]) {
    if (text === undefined) continue;
    members.push(
      `"${name}":${text === null ? 'null' : shownText(text, `patch.${name}`, `/${name}`, key)}`,
    );
  }
  if (backendReference !== undefined) {
    const text = shownText(backendReference, 'patch.backendReference', '/backendReference', key);
    members.push(`"backendReference":${text}`);
  }
  if (result !== undefined)
    members.push(`"result":${result === null ? 'null' : resultText(result, 'patch.result', key)}`);
  return `{${members.join()}}`;
}
/** The JSON text of a person's decision. */
function resolutionText(value, key) {
  const { state, note, result } = object(value, 'outcome');
  const members = [`"state":"${word(state, 'outcome.state', TERMINAL)}"`];
  if (note !== undefined) members.push(`"note":${shownText(note, 'outcome.note', '/note', key)}`);
  if (result !== undefined) {
    if (state !== 'succeeded') throw invalidValue('outcome.result', 'left out unless succeeded');
    members.push(`"result":${resultText(result, 'outcome.result', key)}`);
  }
  return `{${members.join()}}`;
}
/** An observation as far as it can be read; undefined for what is none. Throws what its getters throw. */
function observationText(value) {
  if (typeof value !== 'object' || value === null) return undefined;
  const { state, progress, stage, error, result } = value;
  let readable = true;
  const members = [];
  if (progress !== undefined) {
    const fits = progress === null || (typeof progress === 'number' && Number.isFinite(progress));
    if (fits) members.push(`"progress":${progress}`);
    else readable = false;
  }
  for (const [name, text] of [
    ['stage', stage],
    ['error', error],
  ]) {
    if (text === undefined) continue;
    const fits = text === null || (typeof text === 'string' && text.isWellFormed());
    if (fits) members.push(`"${name}":${JSON.stringify(text)}`);
    else readable = false;
  }
  if (result !== undefined && isTerminal(state)) {
    const text = observedResult(result);
    if (text === undefined) readable = false;
    else members.push(`"result":${text}`);
  }
  const known = STATES.includes(state) ? `"${state}"` : 'null';
  return `{"state":${known},"readable":${readable}${members.map((member) => `,${member}`).join('')}}`;
}
const UNFIT = Symbol('unfit');
function observedResult(result) {
  if (result === null) return 'null';
  if (typeof result !== 'object' && typeof result !== 'function') return undefined;
  try {
    return plain(result, () => UNFIT);
  } catch (error) {
    if (error === UNFIT) return undefined;
    throw error;
  }
}
const BOUNDS = [
  'maxQueued',
  'maxReservations',
  'retain',
  'inputBytes',
  'inputEchoBytes',
  'resultBytes',
  'referenceBytes',
  'pageSize',
  'frameBytes',
  'logBytes',
  'logSliceBytes',
  'maxRuntimeSeconds',
];
/** The JSON text of bounds: those that are given, each a number. */
function boundsText(value, name) {
  const bounds = object(value, name);
  const members = [];
  for (const bound of BOUNDS) {
    const given = bounds[bound];
    if (given === undefined) continue;
    if (given === null && bound === 'maxRuntimeSeconds') continue;
    if (typeof given !== 'number') throw invalidArgument(`${name}.${bound}`, 'a number');
    if (!Number.isFinite(given)) throw outOfRange(`${name}.${bound} is out of range`);
    members.push(`"${bound}":${given}`);
  }
  return `{${members.join()}}`;
}

/** Streams in which somebody waits: nobody else need hold them. */
const awaited = new Set();
/** What a stream that was forgotten leaves to be done: it closes over nothing of the stream. */
const forgotten$1 = new FinalizationRegistry((left) => {
  left.end();
  left.forget();
});
/** A signal may live longer than a stream that nobody reads any more. Gives what stops listening. */
function listening(signal, stream) {
  return onAbort(signal, () => stream.deref()?._finish());
}
/** An async iterator over what a source gives as it comes. */
class Stream {
  _source;
  _waiting = [];
  _forget = () => {};
  _over = false;
  /** @internal */
  constructor(source, signal) {
    this._source = source;
    if (signal?.aborted) {
      this._finish();
      return;
    }
    if (signal !== undefined) this._forget = listening(signal, new WeakRef(this));
    const forget = this._forget;
    forgotten$1.register(this, { end: () => source.end(), forget }, this);
  }
  /** The next value. Calls are answered in the order made. */
  next() {
    if (this._over) return Promise.resolve(over());
    if (this._waiting.length === 0) {
      try {
        const value = this._source.take();
        if (value !== undefined) return Promise.resolve({ value, done: false });
        if (this._source.isOver()) {
          this._finish();
          return Promise.resolve(over());
        }
      } catch (error) {
        return Promise.reject(error);
      }
    }
    const waiting = new Deferred();
    this._waiting.push(waiting);
    awaited.add(this);
    return waiting.promise;
  }
  /** Ends it; whoever waits for a value is told that it is over. */
  return() {
    this._finish();
    return Promise.resolve(over());
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  /** @internal */
  _wake() {
    while (this._waiting.length > 0 && !this._over) {
      const waiting = this._waiting[0];
      try {
        const value = this._source.take();
        if (value === undefined) break;
        waiting.resolve({ value, done: false });
      } catch (error) {
        waiting.reject(error);
      }
      this._waiting.shift();
    }
    if (this._waiting.length === 0) awaited.delete(this);
    if (!this._over && this._source.isOver()) this._finish();
  }
  /** @internal */
  _finish() {
    if (this._over) return;
    this._over = true;
    awaited.delete(this);
    forgotten$1.unregister(this);
    this._forget();
    this._source.end();
    for (const waiting of this._waiting.splice(0)) waiting.resolve(over());
  }
}
const over = () => ({ value: undefined, done: true });

const forgotten = new FinalizationRegistry((number) => {
  binding.exportDrop(number);
});
/** The lines of an export that has begun. */
class Exporting {
  _number;
  /** Held: a journal that is exported is in use. */
  _journal;
  _last = Promise.resolve();
  _over = false;
  /** @internal */
  constructor(number, journal) {
    this._number = number;
    this._journal = journal;
    journal._exports.add(number);
    forgotten.register(this, number, this);
  }
  /** The next lines. Calls are answered in the order made. */
  next() {
    const next = this._last.then(() => this._next());
    this._last = next.catch(() => undefined);
    return next;
  }
  return() {
    this._end();
    return Promise.resolve({ value: undefined, done: true });
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  _end() {
    if (this._over) return;
    this._over = true;
    forgotten.unregister(this);
    this._journal._exports.delete(this._number);
    binding.exportDrop(this._number);
  }
  async _next() {
    if (this._over) return { value: undefined, done: true };
    try {
      const value = await asked((ticket) => binding.exportNext(this._number, ticket));
      if (value !== '' && !this._over) return { value, done: false };
    } catch (error) {
      this._end();
      throw error;
    }
    this._end();
    return { value: undefined, done: true };
  }
}
/** Where a file is, or is to be. */
function pathOf(path) {
  if (typeof path !== 'string' || path === '') throw invalidArgument('path', 'a non-empty string');
  if (path.includes('\0') || !path.isWellFormed()) throw invalidValue('path', 'a path');
  return path;
}
function piecesOf(value) {
  const given = typeof value === 'string' ? [value] : object(value, 'text');
  const iterates = given[Symbol.asyncIterator] ?? given[Symbol.iterator];
  if (typeof iterates !== 'function') throw invalidArgument('text', 'an iterable of strings');
  return given;
}
/** Hands the pieces over, none before the one before it was taken. */
async function imported(path, pieces) {
  const number = accepted(binding.importOpen(path));
  try {
    let half = '';
    for await (const piece of pieces) {
      if (typeof piece !== 'string') throw invalidArgument('text', 'an iterable of strings');
      // A piece may end inside a character, of which the first half waits for the second.
      let whole = half + piece;
      half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
      if (half !== '') whole = whole.slice(0, -1);
      if (!whole.isWellFormed()) throw invalidValue('text', 'well-formed');
      if (whole !== '') await asked((ticket) => binding.importAdd(number, ticket, whole));
    }
    if (half !== '') throw invalidValue('text', 'well-formed');
  } catch (error) {
    // Nothing of it is left once this is rejected.
    await asked((ticket) => binding.importCancel(number, ticket));
    throw error;
  }
  await asked((ticket) => binding.importEnd(number, ticket));
}

function options(value, durable) {
  if (value === undefined) return { text: '{}', clock: Date.now };
  const given = object(value, 'options');
  const { bounds, clock } = given;
  const members = [];
  if (bounds !== undefined) members.push(`"bounds":${boundsText(bounds, 'options.bounds')}`);
  const durability = durable ? given.durability : undefined;
  if (durability !== undefined) {
    if (typeof durability !== 'string') throw invalidArgument('options.durability', 'a string');
    if (durability !== 'immediate' && durability !== 'eventual')
      throw invalidValue('options.durability', "'immediate' or 'eventual'");
    members.push(`"durability":"${durability}"`);
  }
  const readOnly = durable ? given.readOnly : undefined;
  if (readOnly !== undefined) {
    if (typeof readOnly !== 'boolean') throw invalidArgument('options.readOnly', 'a boolean');
    members.push(`"readOnly":${readOnly}`);
  }
  const read = clock === undefined ? Date.now : callable(clock, 'options.clock');
  return { text: `{${members.join()}}`, clock: () => read() };
}
const unused$3 = new FinalizationRegistry((journal) => {
  binding.journalDrop(journal);
});
/**
 * The rows of all scopes in one file, or in memory, and the fence in front of them: what makes a start
 * safe to retry for ever.
 *
 * Reads are synchronous. A writing method returns a promise, and has a `…Sync` twin that blocks until it
 * is done; those called in one tick share one commit. One call is one atomic step: refused, it changes
 * nothing; fulfilled, with durability `immediate`, it is on the disk. Calls of one thread take effect in
 * the order made, twins included. A call that waits for its answer keeps the process alive.
 *
 * | a row that is | `update` may move to |
 * | --- | --- |
 * | queued, not accepted | running, failed, cancelled, interrupted |
 * | queued, accepted | queued, running, interrupted, any terminal state |
 * | running | running, interrupted, any terminal state, queued once accepted |
 * | interrupted | running, any terminal state, queued once accepted |
 * | terminal | nothing: `ERR_OPERATION_TERMINAL` |
 *
 * Opening turns every row that is running, or queued and no longer `pending`, into `interrupted`: nobody
 * watches it any more. When a scope holds more than `retain` terminal rows, those that ended longest ago
 * leave the history; a row whose submission is `uncertain` never does by itself. The fence keeps their ids.
 *
 * Opening a path that this process has open, from any thread and under any name of the file, gives
 * another handle of the same journal, with a clock of its own. The file is let go with its last handle,
 * or its last handle's thread.
 *
 * Scope, here and in all of it, is the descriptor an operation belongs to; `''`, the default, is one like
 * any other. Identifiers have 1 to 128 Unicode scalar values (a scope 0 to 128), no control characters
 * and no lone surrogates; others are `ERR_INVALID_ARG_VALUE`. After `close` every call is `ERR_CLOSED`.
 * A file that cannot be read or written is `ERR_JOURNAL_IO`: then a write may or may not have taken
 * effect, and repeating it settles which. Seed 2.
 */
class OperationJournal {
  /** In force, defaults filled in. */
  bounds;
  /** @internal */
  _number;
  /** @internal */
  _clock;
  /** @internal Runners started on it. */
  _runners = new Set();
  /** @internal Exports of it that are under way. */
  _exports = new Set();
  _closing;
  constructor(maker, number, clock) {
    made(maker, 'OperationJournal');
    this._number = number;
    this._clock = clock;
    const bounds = JSON.parse(accepted(binding.journalBounds(number)));
    this.bounds = Object.freeze(bounds);
    unused$3.register(this, number, this);
  }
  /**
   * Opens a file; creates it, for its owner's eyes only, if there is none or it is empty. Its directory
   * must exist. Refused, leaving the file as it was: `ERR_JOURNAL_LOCKED` at once when another process
   * has it open, `ERR_JOURNAL_CORRUPT`, `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`, and `ERR_JOURNAL_OPTIONS`
   * for bounds or a durability other than those it is open with here. A single row that cannot be decoded
   * is skipped.
   */
  static open(path, options_) {
    try {
      pathOf(path);
      const { text, clock } = options(options_, true);
      return asked((ticket) => binding.journalOpen(ticket, path, text)).then((number) => {
        flushAtExit();
        return new OperationJournal(MAKER, Number(number), clock);
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /**
   * Everything that a journal has recorded, as lines of JSON, a few at a time: the operations of the
   * history, the ids that the fence holds besides, and the pairs for `drainRetired`. One consistent
   * state, while the journal is in use; as long as it is not read to its end the file grows with what is
   * written. The last line counts the others. `ERR_CLOSED` once the journal is closed.
   */
  static export(journal, options_) {
    if (!isHandle$1(journal)) throw invalidArgument('journal', 'an OperationJournal');
    const given = options_ === undefined ? {} : object(options_, 'options');
    const { scope } = given;
    const only = scope === undefined ? undefined : scopeOf(scope, 'options.scope');
    const number = accepted(binding.journalExport(reference$1(journal), only));
    return new Exporting(number, journal);
  }
  /**
   * Makes a journal of what `export` gave: `text` is the whole of it, or its pieces, cut anywhere. The
   * file is there once the promise is fulfilled, whole, or not at all. `ERR_BACKUP_EXISTS` if something
   * is at its path, `ERR_JOURNAL_CORRUPT` with the number of the line that cannot be taken,
   * `ERR_JOURNAL_VERSION`, `ERR_JOURNAL_IO`. What was queued and what was running is so in the new
   * journal: do not run it beside the original.
   */
  static import(path, text) {
    try {
      return imported(pathOf(path), piecesOf(text));
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /** A journal of its own that nothing outlives. */
  static inMemory(options_) {
    const { text, clock } = options(options_, false);
    return new OperationJournal(MAKER, accepted(binding.journalInMemory(text)), clock);
  }
  /**
   * Creates the row, waiting, or returns the one the id already has. Refused in this order:
   * `ERR_INPUT_REFUSED` if `payload` is not plain JSON; for an id that the fence holds,
   * `ERR_OPERATION_CONFLICT` under another digest and `ERR_OPERATION_RETIRED` if its row left the history,
   * else it is `existing`, whatever the bounds; `ERR_INPUT_REFUSED` over `inputBytes`; `ERR_QUEUE_FULL`;
   * `ERR_FENCE_FULL`. `digest` is compared, never interpreted: a string that would do as an identifier.
   */
  reserve(operationId, digest, payload, scope) {
    return promised(this, () => this._reserve(operationId, digest, payload, scope));
  }
  /** As `reserve`, done when it returns: it waits for the disk on the calling thread. */
  reserveSync(operationId, digest, payload, scope) {
    return parsed(now(handle$1(this)._reserve(operationId, digest, payload, scope)));
  }
  /**
   * Records one observation and returns the new status: `updatedAt` advances, `stale` ends, and a
   * terminal state sets `finishedAt`. Refused in this order: `ERR_RESULT_REFUSED` (`ResultRefused`, with
   * a `path` such as `/result/a/0`) for a value past its bound or not plain JSON; `ERR_OPERATION_UNKNOWN`;
   * `ERR_OPERATION_TERMINAL`; `ERR_OPERATION_TRANSITION`.
   */
  update(operationId, patch, scope) {
    return promised(this, () => this._update(operationId, patch, scope));
  }
  /** As `update`, done when it returns: it waits for the disk on the calling thread. */
  updateSync(operationId, patch, scope) {
    return parsed(now(handle$1(this)._update(operationId, patch, scope)));
  }
  /**
   * Records that the operation is to be cancelled; honouring it is the runner's. Idempotent; changes no
   * field of the status. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId, scope) {
    return promised(this, () => this._requestCancel(operationId, scope));
  }
  /** As `requestCancel`, done when it returns: it waits for the disk on the calling thread. */
  requestCancelSync(operationId, scope) {
    return parsed(now(handle$1(this)._requestCancel(operationId, scope)));
  }
  /**
   * A person's decision on an interrupted row, with or without a reference. Leaves the submission as it
   * is. `ERR_RESULT_REFUSED`, `ERR_OPERATION_UNKNOWN`, `ERR_OPERATION_TERMINAL`, and
   * `ERR_OPERATION_TRANSITION` for a row that is not interrupted.
   */
  resolve(operationId, outcome, scope) {
    return promised(this, () => this._resolve(operationId, outcome, scope));
  }
  /** As `resolve`, done when it returns: it waits for the disk on the calling thread. */
  resolveSync(operationId, outcome, scope) {
    return parsed(now(handle$1(this)._resolve(operationId, outcome, scope)));
  }
  /**
   * Takes terminal operations of the scope that ended before a time, pruned or not, off the fence and
   * out of the history, and returns how many: the only way in which the fence shrinks. Their ids may be
   * reserved anew. Those still in the history join `drainRetired`.
   */
  forget(options_) {
    return promised(this, () => this._forgotten(options_));
  }
  /** As `forget`, done when it returns: it waits for the disk on the calling thread. */
  forgetSync(options_) {
    return parsed(now(handle$1(this)._forgotten(options_)));
  }
  /**
   * The pairs of scope and operation id, of all scopes, that left the history since the last call, in
   * order of leaving: their logs may go. Pairs handed out are struck from the disk by the next call, or
   * when this handle closes, and handed out again if neither came. A pair whose id is reserved anew is
   * no longer handed out.
   */
  drainRetired() {
    return promised(this, () => this._drain());
  }
  /** As `drainRetired`, done when it returns: it waits for the disk on the calling thread. */
  drainRetiredSync() {
    return parsed(now(handle$1(this)._drain()));
  }
  /** The full record, or null for an unknown or pruned id; so for the next three (false for the third). */
  status(operationId, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalStatus(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }
  /** Time of the first move to running. */
  startedAt(operationId, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalStartedAt(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : Number(text);
  }
  /** The recorded input, whatever its size. */
  payload(operationId, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const text = accepted(binding.journalPayload(journal, id, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }
  /** A cancel intent is recorded and the row has not ended. */
  cancelRequested(operationId, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    return accepted(binding.journalCancelRequested(journal, id, scopeOf(scope, 'scope'))) === 1;
  }
  /**
   * At most `pageSize` rows and at most `frameBytes` of JSON text, at least one row if there is any.
   * Offsets address places between rows, which reservations and pruning do not move.
   */
  page(scope, options_) {
    const journal = reference$1(this);
    const of = scopeOf(scope, 'scope');
    const given = options_ === undefined ? {} : object(options_, 'options');
    const { offset = 0, state } = given;
    if (typeof offset !== 'number') throw invalidArgument('options.offset', 'a number');
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw outOfRange('options.offset must be a safe integer of at least 0');
    const filter = state === undefined ? undefined : stateWord(state, 'options.state');
    return parsed(accepted(binding.journalPage(journal, of, offset, filter)));
  }
  /** The id of the waiting row reserved first. */
  nextQueued(scope) {
    const journal = reference$1(this);
    const text = accepted(binding.journalNextQueued(journal, scopeOf(scope, 'scope')));
    return text === undefined ? null : parsed(text);
  }
  /** Interrupted rows with a reference, oldest reservation first. */
  interruptedAccepted(scope) {
    const journal = reference$1(this);
    return parsed(accepted(binding.journalInterruptedAccepted(journal, scopeOf(scope, 'scope'))));
  }
  /** Counts per scope and state, the fence, the file, and whether writing works. */
  stats() {
    return parsed(accepted(binding.journalStats(reference$1(this))));
  }
  /**
   * Statuses of the scope's rows as they change, from this call on. Each step gives the row whose
   * undelivered change is oldest, at its newest state, so a slow reader holds at most one entry a row; a
   * row that left the history meanwhile is left out. Ends, without error, on `return()`, when `signal`
   * aborts or had aborted, and on close. Does not keep the process alive.
   */
  watch(options_) {
    const journal = reference$1(this);
    const given = options_ === undefined ? {} : object(options_, 'options');
    const { id, scope, signal } = given;
    const of = scopeOf(scope, 'options.scope');
    const only = id === undefined ? undefined : identifier(id, 'options.id');
    const until = signalOf(signal, 'options.signal');
    const watcher = accepted(binding.journalWatch(journal, letterBox(), of, only));
    // The handle is held: a journal that somebody watches is in use.
    const source = {
      take: () => {
        const text = this._closing ? undefined : accepted(binding.watcherNext(watcher));
        return text === undefined ? undefined : parsed(text);
      },
      isOver: () => this._closing !== undefined,
      end: () => {
        watchers.delete(watcher);
        binding.watcherDrop(watcher);
      },
    };
    const stream = new Stream(source, until);
    if (!until?.aborted) watchers.set(watcher, new WeakRef(stream));
    return stream;
  }
  /** Reads everything. ok without problems. Rows named as problems are skipped by all else. */
  verify() {
    return promised(this, () => {
      const journal = this._number;
      return (ticket) => binding.journalVerify(journal, ticket);
    });
  }
  /** Gives unused space back, by writing the file anew; bytes before and after. Reads go on meanwhile. */
  compact() {
    return promised(this, () => {
      const journal = this._number;
      return (ticket) => binding.journalCompact(journal, ticket);
    });
  }
  /**
   * Writes a consistent copy, usable as a journal, while this one is in use. `ERR_BACKUP_EXISTS`,
   * `ERR_JOURNAL_IO`. Do not run the copy beside the original: both would submit what is waiting.
   */
  backup(path) {
    return promised(this, () => {
      const to = pathOf(path);
      const journal = this._number;
      return (ticket) => binding.journalBackup(journal, ticket, to);
    }).then(() => undefined);
  }
  /**
   * Refuses later calls of this handle with `ERR_CLOSED` (but `close` itself: idempotent), stops the
   * runners started on it, waits for what was called before, and lets go.
   */
  close() {
    if (!isHandle$1(this)) return Promise.reject(invalidThis('OperationJournal'));
    this._closing ??= this._close(this._number);
    return this._closing;
  }
  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose]() {
    return OperationJournal.prototype.close.call(this);
  }
  /** @internal */
  _isClosing() {
    return this._closing !== undefined;
  }
  async _close(number) {
    // Set before anything is awaited: later calls are refused from here on.
    this._closing = Promise.resolve();
    unused$3.unregister(this);
    for (const number of this._exports) binding.exportDrop(number);
    const stopping = [...this._runners].map((runner) => runner.stop());
    for (const stream of watchers.values()) stream.deref()?._wake();
    await Promise.all(stopping);
    await asked((ticket) => binding.journalClose(number, ticket));
  }
  _reserve(operationId, digest, payload, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const compared = identifier(digest, 'digest');
    object(payload, 'payload');
    const of = scopeOf(scope, 'scope');
    const text = inputText(payload, 'payload', { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) =>
      binding.journalReserve(journal, ticket, id, compared, text, of, time, undefined);
  }
  _update(operationId, patch, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    object(patch, 'patch');
    const of = scopeOf(scope, 'scope');
    const text = patchText(patch, { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) => binding.journalUpdate(journal, ticket, id, text, of, time);
  }
  _requestCancel(operationId, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.journalRequestCancel(journal, ticket, id, of);
  }
  /** @internal */
  _cancel(operationId, scope, clock) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    const time = timeOf(clock);
    return (ticket) => binding.journalCancel(journal, ticket, id, scope, time);
  }
  _resolve(operationId, outcome, scope) {
    const journal = reference$1(this);
    const id = identifier(operationId, 'operationId');
    object(outcome, 'outcome');
    const of = scopeOf(scope, 'scope');
    const text = resolutionText(outcome, { operationId: id, scope: of });
    const time = timeOf(this._clock);
    return (ticket) => binding.journalResolve(journal, ticket, id, text, of, time);
  }
  _forgotten(given) {
    const journal = reference$1(this);
    const { finishedBefore, scope } = object(given, 'options');
    if (typeof finishedBefore !== 'number')
      throw invalidArgument('options.finishedBefore', 'a number');
    if (!Number.isSafeInteger(finishedBefore) || finishedBefore < 0)
      throw outOfRange('options.finishedBefore must be a safe integer of at least 0');
    const of = scopeOf(scope, 'options.scope');
    return (ticket) => binding.journalForget(journal, ticket, of, finishedBefore);
  }
  _drain() {
    const journal = reference$1(this);
    return (ticket) => binding.journalDrain(journal, ticket);
  }
}
const parsed = (text) => JSON.parse(text);
/** A method that returns a promise never throws. */
function promised(self, read) {
  try {
    reference$1(self);
    return asked(read()).then((text) => JSON.parse(text));
  } catch (error) {
    return Promise.reject(error);
  }
}
/** Whether it was made here: an object of the prototype alone has no number. */
const isHandle$1 = (self) => self instanceof OperationJournal && typeof self._number === 'number';
function handle$1(self) {
  if (!isHandle$1(self)) throw invalidThis('OperationJournal');
  return self;
}
/** The number of a journal that is open. */
function reference$1(self) {
  const journal = handle$1(self);
  if (journal._isClosing()) throw new TenureError('ERR_CLOSED', 'The journal is closed');
  return journal._number;
}

const unused$2 = new FinalizationRegistry((logs) => {
  binding.logsDrop(logs);
});
/**
 * One bounded text file for each operation, directly in a directory, named by a hash of scope and id, so
 * that no id can leave it. Independent of the journal: whatever identifiers will do. A log is a convenience:
 * written in order, not synced. A directory is written by one process at a time; in it all handles of
 * one directory, from any thread, share the files. What cannot be read or written is `ERR_LOG_IO`, with
 * the operating system's error as `cause`; a line that was not written whole is not there at all.
 * Seed 2.
 */
class OperationLogs {
  /** @internal */
  _number;
  _closing;
  constructor(maker, number) {
    made(maker, 'OperationLogs');
    this._number = number;
    unused$2.register(this, number, this);
  }
  /** Creates the directory, parents included. Only `logBytes` and `logSliceBytes` matter here. */
  static open(directory, bounds) {
    try {
      if (typeof directory !== 'string' || directory === '')
        throw invalidArgument('directory', 'a non-empty string');
      if (directory.includes('\0') || !directory.isWellFormed())
        throw invalidValue('directory', 'a path');
      const text = bounds === undefined ? '{}' : boundsText(bounds, 'bounds');
      return asked((ticket) => binding.logsOpen(ticket, directory, text)).then(
        (number) => new OperationLogs(MAKER, Number(number)),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /**
   * Adds one record: `line` and a line feed. CR and LF inside `line` are written as `\r` and `\n` (two
   * characters), lone surrogates as U+FFFD. A record that would pass `logBytes` is dropped, and so is,
   * for good, every later one: what is kept is a true beginning.
   */
  append(operationId, line, scope) {
    return called(this, () => this._append(operationId, line, scope));
  }
  /** As `append`, done when it returns; waits for the disk on the calling thread. */
  appendSync(operationId, line, scope) {
    now(handle(this)._append(operationId, line, scope));
  }
  /** Deletes the log; unknown is no error. A later append begins a new one. Ends its followers. */
  retire(operationId, scope) {
    return called(this, () => this._retire(operationId, scope));
  }
  /** As `retire`, done when it returns. */
  retireSync(operationId, scope) {
    now(handle(this)._retire(operationId, scope));
  }
  /**
   * At most `logSliceBytes`, cut between characters: an offset inside a character counts as the end of
   * that character, one past the end (of an unknown log: 0) as the end.
   */
  read(operationId, offset, scope) {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const from = position(offset, 'offset');
    const text = accepted(binding.logsRead(logs, id, from, scopeOf(scope, 'scope')));
    return JSON.parse(text);
  }
  /**
   * Slices with text, from `offset` on, as lines arrive, whichever handle of this process appends. Ends,
   * without error, on `return()`, when `signal` aborts or had aborted, on `retire` and on close. Does not
   * keep the process alive.
   */
  follow(operationId, options) {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const given = options === undefined ? {} : object(options, 'options');
    const { offset, signal, scope } = given;
    let from = offset === undefined ? 0 : position(offset, 'options.offset');
    const of = scopeOf(scope, 'options.scope');
    const until = signalOf(signal, 'options.signal');
    const follower = accepted(binding.logsFollow(logs, letterBox(), id, of));
    const isOver = () => this._closing !== undefined || binding.followerIsOver(follower) === 1;
    // The handle is held: logs that somebody follows are in use.
    const source = {
      take: () => {
        if (isOver()) return undefined;
        const slice = JSON.parse(accepted(binding.logsRead(logs, id, from, of)));
        if (slice.text === '') return undefined;
        from = slice.nextOffset;
        return slice;
      },
      isOver,
      end: () => {
        followers.delete(follower);
        binding.followerDrop(follower);
      },
    };
    const stream = new Stream(source, until);
    if (!until?.aborted) followers.set(follower, new WeakRef(stream));
    return stream;
  }
  /** Refuses later calls of this handle with `ERR_CLOSED`, waits for what was called before, and lets go. */
  close() {
    if (!isHandle(this)) return Promise.reject(invalidThis('OperationLogs'));
    const number = this._number;
    if (this._closing !== undefined) return this._closing;
    unused$2.unregister(this);
    this._closing = asked((ticket) => binding.logsClose(number, ticket)).then(() => undefined);
    for (const stream of followers.values()) stream.deref()?._wake();
    return this._closing;
  }
  /** `close`, so that `await using` works. */
  [Symbol.asyncDispose]() {
    return OperationLogs.prototype.close.call(this);
  }
  /** @internal */
  _isClosing() {
    return this._closing !== undefined;
  }
  _append(operationId, line, scope) {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    if (typeof line !== 'string') throw invalidArgument('line', 'a string');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.logsAppend(logs, ticket, id, line.toWellFormed(), of);
  }
  _retire(operationId, scope) {
    const logs = reference(this);
    const id = identifier(operationId, 'operationId');
    const of = scopeOf(scope, 'scope');
    return (ticket) => binding.logsRetire(logs, ticket, id, of);
  }
}
function called(self, read) {
  try {
    reference(self);
    return asked(read()).then(() => undefined);
  } catch (error) {
    return Promise.reject(error);
  }
}
function position(value, name) {
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!Number.isSafeInteger(value) || value < 0)
    throw outOfRange(`${name} must be a safe integer of at least 0`);
  return value;
}
/** Whether it was made here: an object of the prototype alone has no number. */
const isHandle = (self) => self instanceof OperationLogs && typeof self._number === 'number';
function handle(self) {
  if (!isHandle(self)) throw invalidThis('OperationLogs');
  return self;
}
function reference(self) {
  const logs = handle(self);
  if (logs._isClosing()) throw new TenureError('ERR_CLOSED', 'The logs are closed');
  return logs._number;
}

/**
 * One text for an operation of a scope, to be used as a key elsewhere. Injective over all pairs of
 * identifiers: no two pairs ever meet in one key. `ERR_INVALID_ARG_TYPE`; `ERR_INVALID_ARG_VALUE` for
 * what is no identifier. Seed 2.
 */
function journalKey(scope, operationId) {
  const of = scopeOf(string(scope, 'scope'), 'scope');
  return accepted(binding.journalKey(of, identifier(operationId, 'operationId')));
}
/**
 * Lower-case hex SHA-256 over: the number of bytes of `scope` as a 64-bit big-endian integer, those bytes
 * (UTF-8), the number of bytes of the canonical (RFC 8785) `payload` likewise, those bytes.
 * `ERR_INPUT_REFUSED` unless `payload` is plain JSON; its size is not bounded here. Seed 2.
 */
function inputDigest(scope, payload) {
  const of = scopeOf(string(scope, 'scope'), 'scope');
  return accepted(binding.inputDigest(of, inputText(payload, 'payload')));
}
/** The JSON text of a schema: an object or a boolean. `ERR_SCHEMA_INVALID` unless plain JSON. */
function schemaText(value, name) {
  if (typeof value === 'boolean') return String(value);
  return plain(
    object(value, name),
    (path, why) =>
      new TenureError('ERR_SCHEMA_INVALID', `The value at ${path || '/'} of ${name} ${why}`, {
        path,
      }),
  );
}
/** A string that Rust can hold. */
function text(value, name) {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!value.isWellFormed()) throw invalidValue(name, 'well-formed');
  return JSON.stringify(value);
}
/**
 * The public descriptor of an operation. It accepts exactly the calls that `dispatch` does not answer
 * with `ERR_CALL_SHAPE` or, for the input, by the schema with `ERR_INPUT_REFUSED`; the input of a `start`
 * may carry a `planDigest` even where `inputSchema` admits no further members. `ERR_SCHEMA_INVALID`;
 * `ERR_INVALID_ARG_VALUE` for an `id` that is no identifier or an empty `version`. Seed 2.
 */
function operationDescriptor(options) {
  const given = object(options, 'options');
  const { id, version, title, description, inputSchema, resultSchema } = given;
  const members = [
    `"id":${text(identifier(id, 'options.id'), 'options.id')}`,
    `"version":${text(version, 'options.version')}`,
    `"title":${text(title, 'options.title')}`,
    `"description":${text(description, 'options.description')}`,
    `"inputSchema":${schemaText(inputSchema, 'options.inputSchema')}`,
    `"resultSchema":${schemaText(resultSchema, 'options.resultSchema')}`,
  ];
  if (version === '') throw invalidValue('options.version', 'a non-empty string');
  return JSON.parse(accepted(binding.operationDescriptor(`{${members.join()}}`)));
}

const unused$1 = new FinalizationRegistry((schema) => {
  binding.schemaDrop(schema);
});
/** A JSON Schema, compiled. */
class CompiledSchema {
  number;
  /** `ERR_SCHEMA_INVALID`. */
  constructor(schema, name) {
    this.number = accepted(binding.schemaCompile(schemaText(schema, name)));
    unused$1.register(this, this.number);
  }
  judge(text) {
    const violation = accepted(binding.schemaJudge(this.number, text));
    return violation === undefined ? undefined : JSON.parse(violation);
  }
}

/** How a call of the adapter ended, as the core knows it. */
const TIME = 0;
const REFERENCE = 1;
const REFUSED = 2;
const OBSERVED = 3;
const CANCELLED = 4;
const FAILED = 5;
const SUBMIT = 1;
const OBSERVE = 2;
const CANCEL = 3;
const ABORT = 4;
const REASON_LENGTH = 256;
function seconds(value, name, initial, most) {
  if (value === undefined) return initial;
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!(value >= 0.001 && value <= most)) throw outOfRange(`${name} must be from 0.001 to ${most}`);
  return value;
}
function count(value, name) {
  if (value === undefined) return 1;
  if (typeof value !== 'number') throw invalidArgument(name, 'a number');
  if (!Number.isInteger(value) || value < 1 || value > 1024)
    throw outOfRange(`${name} must be an integer from 1 to 1024`);
  return value;
}
/** What an error says of itself; nothing where its getters throw. */
function saidBy(error) {
  try {
    const { code, message } = error;
    return { code, message };
  } catch {
    return {};
  }
}
/** The reason of an adapter's refusal, if it is fit to be shown. By its code: another copy's will do. */
function refusedBy(error) {
  // An error of another realm, such as a vm context's, is an instance of another Error.
  if (!node_util.types.isNativeError(error)) return undefined;
  const { code, message: reason } = saidBy(error);
  if (code !== 'ERR_SUBMISSION_REFUSED') return undefined;
  const fits =
    typeof reason === 'string' &&
    reason !== '' &&
    reason.isWellFormed() &&
    [...reason].length <= REASON_LENGTH;
  return { reason: fits ? reason : undefined };
}
/** A runner from its start to the end of its stop: calls the adapter for the core. */
class Life {
  _runner;
  _adapter;
  _clock;
  /** Calls of the adapter that are not answered, by number. */
  _calls = new Map();
  constructor(runner, adapter, clock) {
    this._runner = runner;
    this._adapter = adapter;
    this._clock = clock;
  }
  _asked(verb, call, first, second) {
    if (verb === ABORT) {
      const aborted = this._calls.get(call);
      this._calls.delete(call);
      aborted?.abort(new TenureError('ERR_CLOSED', 'The call is given up'));
      return;
    }
    if (verb === TIME) {
      this._answer(call, TIME, undefined);
      return;
    }
    const abort = controller();
    this._calls.set(call, abort);
    this._call(verb, first, second, abort.signal).then(
      (value) => {
        this._fulfilled(verb, call, value);
      },
      (error) => {
        const refused = verb === SUBMIT ? refusedBy(error) : undefined;
        if (refused === undefined) this._answer(call, FAILED, undefined);
        else this._answer(call, REFUSED, refused.reason);
      },
    );
  }
  async _call(verb, first, second, signal) {
    if (verb === SUBMIT) return this._adapter.submit(first, JSON.parse(second), signal);
    if (verb === OBSERVE) return this._adapter.observe(first, signal);
    return this._adapter.cancel(first, signal);
  }
  _fulfilled(verb, call, value) {
    if (verb === CANCEL) {
      this._answer(call, CANCELLED, undefined);
      return;
    }
    if (verb === SUBMIT) {
      const fits = typeof value === 'string' && value !== '' && value.isWellFormed();
      this._answer(call, fits ? REFERENCE : FAILED, fits ? value : undefined);
      return;
    }
    let text;
    try {
      text = observationText(value);
    } catch {
      // What its getters throw is an error of the adapter.
    }
    this._answer(call, text === undefined ? FAILED : OBSERVED, text);
  }
  _answer(call, kind, text) {
    this._calls.delete(call);
    let time = -1;
    try {
      time = timeOf(this._clock);
    } catch {
      // Without a time the core waits and asks again.
    }
    binding.runnerAnswer(this._runner, call, kind, text, time);
  }
}
/**
 * Drains one scope's queue through an adapter. Of one operation, in this order, each step durable before
 * the next: running and `uncertain`; `submit`; `accepted` with the reference; observations until one is
 * terminal, every `pollSeconds`; after k failures in a row the pause is `pollSeconds` times 2^k, at most a
 * minute (or `pollSeconds`). A row that ends by other hands is let go, and what the adapter still answers
 * is dropped. While the journal cannot write, nothing is submitted, and what the adapter answered is
 * recorded once it can.
 *
 * A waiting row with a cancel intent is cancelled instead of being submitted. A row past
 * `maxRuntimeSeconds` since its `startedAt`, restarts included, is given a cancel intent. A row in progress
 * with a cancel intent: `cancel` is called until it has fulfilled once (in this runner's life), and
 * observing goes on; whatever terminal state the backend reports stands.
 *
 * The loop runs beside the JavaScript thread; adapter and clock are called on the thread that started it,
 * each call a macrotask. A clock that throws, or gives no time, puts off what needs the time. Seed 2.
 */
class OperationRunner {
  _journal;
  _adapter;
  _scope;
  _options;
  _schema;
  _clock;
  _runner;
  _stopping;
  /** `ERR_SCHEMA_INVALID`; nothing starts. */
  constructor(journal, logs, adapter, options) {
    if (!(journal instanceof OperationJournal))
      throw invalidArgument('journal', 'an OperationJournal');
    if (!(logs instanceof OperationLogs)) throw invalidArgument('logs', 'an OperationLogs');
    const given = object(adapter, 'adapter');
    for (const method of ['submit', 'observe', 'cancel'])
      callable(given[method], `adapter.${method}`);
    const { scope, pollSeconds, adapterSeconds, resultSchema, clock, concurrency } = object(
      options,
      'options',
    );
    this._journal = journal;
    this._adapter = adapter;
    this._scope = scopeOf(scope, 'options.scope');
    this._options = JSON.stringify({
      scope: this._scope,
      pollSeconds: seconds(pollSeconds, 'options.pollSeconds', 1, 3_600),
      adapterSeconds: seconds(adapterSeconds, 'options.adapterSeconds', 30, 86_400),
      concurrency: count(concurrency, 'options.concurrency'),
    });
    const read = clock === undefined ? undefined : callable(clock, 'options.clock');
    this._clock = read === undefined ? journal._clock : () => read();
    this._schema = new CompiledSchema(resultSchema, 'options.resultSchema');
  }
  /**
   * `ERR_SCOPE_OWNED` if a runner of this scope and journal is started, be it this one and in whatever
   * thread; `ERR_CLOSED`. First takes up what an earlier life left: rows that are interrupted, running or
   * queued at the backend are observed if they have a reference (all of them at once, counting as in
   * progress) and otherwise interrupted. Then drains the queue, and looks at it again every
   * `pollSeconds`. Keeps the process alive until `stop`.
   */
  start() {
    const self = checked(this);
    const journal = reference$1(self._journal);
    const runner = accepted(
      binding.runnerStart(journal, letterBox(), self._options, self._schema.number),
    );
    self._runner = runner;
    self._stopping = undefined;
    runners.set(runner, new Life(runner, self._adapter, self._clock));
    self._journal._runners.add(self);
  }
  /**
   * Calls nothing new, waits for a `submit` in flight (its answer is recorded) but for no other call, and
   * leaves the rows as they are. Idempotent. Then nothing keeps the process alive, and the scope may be
   * started again.
   */
  stop() {
    try {
      const self = checked(this);
      const runner = self._runner;
      if (runner === undefined) return self._stopping ?? Promise.resolve();
      self._runner = undefined;
      self._stopping = asked((ticket) => binding.runnerStop(runner, ticket)).then(() => {
        runners.delete(runner);
        binding.runnerDrop(runner);
        // A start since then has put it in again.
        if (self._runner === undefined) self._journal._runners.delete(self);
      });
      return self._stopping;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /** Look at the queue now. Nothing unless started. */
  enqueue() {
    const { _runner: runner } = checked(this);
    if (runner !== undefined) binding.runnerWake(runner);
  }
  /**
   * A waiting operation is cancelled, durably, when this fulfils; one that was sent has its intent
   * recorded, and a started runner asks the adapter; a terminal one stays as it is. Needs no started
   * runner. `ERR_OPERATION_UNKNOWN`.
   */
  requestCancel(operationId) {
    try {
      const self = checked(this);
      return promised(self._journal, () =>
        self._journal._cancel(identifier(operationId, 'operationId'), self._scope, self._clock),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }
  /** @internal */
  get _of() {
    return this._scope;
  }
}
const checked = (self) => {
  const isMade = self instanceof OperationRunner && typeof self._of === 'string';
  if (!isMade) throw invalidThis('OperationRunner');
  return self;
};

/** Which fields a verb takes; those without a question mark it needs. */
const FIELDS = Object.assign(Object.create(null), {
  start: ['operationId', 'input'],
  status: ['operationId'],
  list: ['offset?'],
  log: ['operationId', 'offset?'],
  cancel: ['operationId'],
  plan: ['input'],
});
/** A JSON Pointer to a member of the outermost object. */
const pointer = (name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const misshapen = (path, what) => new TenureError('ERR_CALL_SHAPE', `The call ${what}`, { path });
const FITS = {
  operationId: (value) => typeof value === 'string' && isIdentifier(value),
  input: (value) => typeof value === 'object' && !Array.isArray(value),
  offset: (value) => Number.isSafeInteger(value) && value >= 0,
};
/** Reads a call: `ERR_CALL_SHAPE`, with the path of what is wrong. */
function callOf(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misshapen('', 'is no object');
  const given = new Map();
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) given.set(name, member);
  }
  const op = given.get('op');
  const fields = typeof op === 'string' ? FIELDS[op] : undefined;
  if (fields === undefined) throw misshapen('/op', 'has no verb of the contract');
  for (const [name, member] of given) {
    if (name === 'op') continue;
    const fits = FITS[name];
    const isOf = fields.includes(name) || fields.includes(`${name}?`);
    // Null is the same as left out, of the fields that there are.
    if (fits !== undefined && member === null) given.delete(name);
    else if (!isOf) throw misshapen(pointer(name), `has a field that ${String(op)} does not take`);
    else if (fits?.(member) !== true) throw misshapen(pointer(name), 'has a value of a wrong type');
  }
  for (const field of fields)
    if (!field.endsWith('?') && !given.has(field))
      throw misshapen(pointer(field), `lacks a field that ${String(op)} needs`);
  return { offset: 0, ...Object.fromEntries(given) };
}

const SUMMARY_LENGTH = 512;
const wrong = (what) => new TypeError(`A plan ${what}`);
function estimate(value, name) {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || value < 0)
    throw wrong(`has a value for ${name} that is no whole number of at least 0`);
  return value;
}
/**
 * The plan that a draft comes to, with the digest of the input that is to start. Throws for what is no
 * draft of one.
 */
function planOf(draft, planned, digestOf) {
  if (typeof draft !== 'object' || draft === null) throw wrong('is an object');
  const { planDigest, summary, estimatedSeconds, estimatedCostMicrounits, expiresAt, input } =
    draft;
  const fits =
    typeof summary === 'string' &&
    summary !== '' &&
    summary.isWellFormed() &&
    [...summary].length <= SUMMARY_LENGTH;
  if (!fits) throw wrong(`has a summary of 1 to ${SUMMARY_LENGTH} characters`);
  if (!Number.isSafeInteger(expiresAt) || expiresAt < 0)
    throw wrong('has a time at which it expires');
  const chosen = input === undefined || input === null ? undefined : chosenOf(input);
  const digest = digestOf(chosen === undefined ? planned : JSON.stringify(chosen.rest));
  for (const given of [planDigest, chosen?.planDigest])
    if (given !== undefined && given !== digest) throw wrong('has the digest of its input');
  return {
    planDigest: digest,
    summary,
    estimatedSeconds: estimate(estimatedSeconds, 'estimatedSeconds'),
    estimatedCostMicrounits: estimate(estimatedCostMicrounits, 'estimatedCostMicrounits'),
    expiresAt: expiresAt,
    input: chosen === undefined ? null : { ...chosen.rest, planDigest: digest },
  };
}
function chosenOf(input) {
  if (typeof input !== 'object') throw wrong('has an input that is an object');
  const text = plain(input, (path, why) => wrong(`has a value at ${path} that ${why}`));
  const { planDigest, ...rest } = JSON.parse(text);
  return { planDigest, rest };
}

const EFFECTS = ['start', 'cancel', 'plan'];
/** By the number that the core judges a plan with. */
const VERDICTS = [undefined, 'expired', 'mismatch'];
const unused = new FinalizationRegistry((plans) => {
  binding.plansDrop(plans);
});
/**
 * The verbs of one scope, for callers that are not trusted with the journal: each call has exactly the
 * fields of its verb, under an authority that you decide. Belongs to the thread that made it; what it
 * answers is plain data. Seed 2.
 */
class OperationService {
  _scope;
  _journal;
  _logs;
  _runner;
  _plan;
  _schema;
  _plans;
  /** `ERR_SCHEMA_INVALID`; `ERR_INVALID_ARG_VALUE` for a runner of another scope. */
  constructor(options) {
    const { scope, journal, logs, runner, plan, inputSchema } = object(options, 'options');
    this._scope = scopeOf(string(scope, 'options.scope'), 'options.scope');
    if (!(journal instanceof OperationJournal))
      throw invalidArgument('options.journal', 'an OperationJournal');
    if (!(logs instanceof OperationLogs)) throw invalidArgument('options.logs', 'an OperationLogs');
    if (!(runner instanceof OperationRunner))
      throw invalidArgument('options.runner', 'an OperationRunner');
    this._journal = journal;
    this._logs = logs;
    this._runner = runner;
    this._plan = callable(plan, 'options.plan');
    this._schema =
      inputSchema === undefined
        ? undefined
        : new CompiledSchema(inputSchema, 'options.inputSchema');
    if (runner._of !== this._scope) throw invalidValue('options.runner', 'of the same scope');
    this._plans = binding.plansOpen();
    unused.register(this, this._plans);
  }
  /**
   * Runs one verb. Refused in this order: `ERR_CALL_SHAPE`; `ERR_AUTHORITY`; only then is anything looked
   * at or called.
   *
   * | verb | what it does |
   * | --- | --- |
   * | start | Reserves under `inputDigest(scope, input)` and wakes the runner. Refusals of `reserve`. An id that the fence holds is answered by it alone. Otherwise an input with a `planDigest` must be that of a plan which this service issued for this input and still holds, else `ERR_PLAN_MISMATCH`, and which has not expired by the journal's clock, else `ERR_PLAN_EXPIRED`. A plan may be used more than once. |
   * | status | `ERR_OPERATION_UNKNOWN`. |
   * | list | `journal.page` of the scope. |
   * | log | `logs.read` from `offset`, default 0; an unknown log is empty. |
   * | cancel | `runner.requestCancel`. |
   * | plan | Calls `plan`. `ERR_PLAN_FAILED`; a `TenureError` that it throws is passed on. The answer is held, with the 999 issued last before it, in memory, also once expired. |
   */
  async dispatch(call, authority) {
    const isMade = this instanceof OperationService && typeof this._scope === 'string';
    if (!isMade) throw invalidThis('OperationService');
    if (typeof authority !== 'string') throw invalidArgument('authority', 'a string');
    if (authority !== 'read' && authority !== 'effect')
      throw invalidValue('authority', "'read' or 'effect'");
    const asked = callOf(call);
    if (authority === 'read' && EFFECTS.includes(asked.op))
      throw new TenureError('ERR_AUTHORITY', `${asked.op} needs the authority of effect`);
    return await this._dispatched(asked);
  }
  _dispatched(call) {
    switch (call.op) {
      case 'start':
        return this._start(call.operationId, call.input);
      case 'status':
        return this._status(call.operationId);
      case 'list':
        return this._journal.page(this._scope, { offset: call.offset });
      case 'log':
        return this._logs.read(call.operationId, call.offset, this._scope);
      case 'cancel':
        return this._runner.requestCancel(call.operationId);
      case 'plan':
        return this._planned(call.input);
    }
  }
  _status(operationId) {
    const status = this._journal.status(operationId, this._scope);
    if (status !== null) return status;
    throw new TenureError(
      'ERR_OPERATION_UNKNOWN',
      `Operation ${JSON.stringify(operationId)} is not in the history`,
      { operationId, scope: this._scope },
    );
  }
  async _start(operationId, given) {
    const journal = this._journal;
    const scope = this._scope;
    reference$1(journal);
    const input = this._input(given, operationId);
    const digest = accepted(binding.inputDigest(scope, input.text));
    const time = timeOf(journal._clock);
    const unlessHeld = this._verdict(input, time);
    const number = reference$1(journal);
    const reservation = await promised(
      journal,
      () => (ticket) =>
        binding.journalReserve(
          number,
          ticket,
          operationId,
          digest,
          input.text,
          scope,
          time,
          unlessHeld,
        ),
    );
    this._runner.enqueue();
    return reservation.status;
  }
  /** Why a start with this input is refused, unless the fence holds its id. */
  _verdict(input, time) {
    if (input.planDigest === undefined) return undefined;
    const digest = accepted(binding.inputDigest(this._scope, input.restText));
    if (input.planDigest !== digest) return 'mismatch';
    return VERDICTS[accepted(binding.plansJudge(this._plans, digest, time))];
  }
  _input(given, operationId) {
    const key = operationId === undefined ? undefined : { operationId, scope: this._scope };
    const text = inputText(given, 'input', key);
    const { planDigest, ...rest } = JSON.parse(text);
    const restText = planDigest === undefined ? text : JSON.stringify(rest);
    const violation = this._schema?.judge(restText);
    if (violation !== undefined)
      throw new TenureError('ERR_INPUT_REFUSED', `The input ${violation.message}`, {
        ...key,
        path: violation.path,
      });
    return { text, planDigest, rest, restText };
  }
  async _planned(given) {
    reference$1(this._journal);
    const { rest, restText } = this._input(given);
    let draft;
    try {
      draft = await this._plan(rest);
    } catch (error) {
      if (error instanceof TenureError) throw error;
      throw new TenureError('ERR_PLAN_FAILED', 'The plan could not be made', { cause: error });
    }
    let plan;
    try {
      plan = planOf(draft, restText, (text) => accepted(binding.inputDigest(this._scope, text)));
    } catch (cause) {
      throw new TenureError('ERR_PLAN_FAILED', 'The answer of the plan function is no plan', {
        cause,
      });
    }
    accepted(binding.plansIssue(this._plans, plan.planDigest, plan.expiresAt));
    return plan;
  }
}

for (const type of [AdmissionPermit, ExecutionClaim, OperationLease, RuntimeCore]) disposable(type);
for (const type of [OperationJournal, OperationLogs]) asyncDisposable(type);

exports.AdmissionLimiter = AdmissionLimiter;
exports.AdmissionPermit = AdmissionPermit;
exports.ApplicationOperationBusyError = ApplicationOperationBusyError;
exports.ApplicationOperationService = ApplicationOperationService;
exports.BackendGeneration = BackendGeneration;
exports.BackendInvalidation = BackendInvalidation;
exports.ExecutionClaim = ExecutionClaim;
exports.InteractionRequest = InteractionRequest;
exports.OperationJournal = OperationJournal;
exports.OperationLease = OperationLease;
exports.OperationLogs = OperationLogs;
exports.OperationRunner = OperationRunner;
exports.OperationService = OperationService;
exports.ResultRefused = ResultRefused;
exports.RuntimeCore = RuntimeCore;
exports.SessionBusyError = SessionBusyError;
exports.SteeringTurn = SteeringTurn;
exports.StopAttempt = StopAttempt;
exports.StopDelivery = StopDelivery;
exports.StopMember = StopMember;
exports.StopOperation = StopOperation;
exports.SubmissionRefused = SubmissionRefused;
exports.TenureError = TenureError;
exports.inputDigest = inputDigest;
exports.journalKey = journalKey;
exports.operationDescriptor = operationDescriptor;
exports.sessionOperationExclusivityKey = sessionOperationExclusivityKey;
exports.setLogger = setLogger;
