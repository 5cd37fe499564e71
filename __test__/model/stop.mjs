// Stop attempts: one per session at a time, with a part for every member that has something to stop.
import * as errors from './errors.mjs';
import { CoreError, closedError, cross } from './errors.mjs';
import { Handle, begin, deferred, make, own, ownOpen, quiet, rejecting } from './handles.mjs';
import { tellStop } from './claim.mjs';
import { retain } from './operation.mjs';
import { clearQueue } from './steering.mjs';

export function stopSession(member, sessionId, input, attemptTask) {
  return quiet(
    rejecting(() => {
      member.needOpen();
      errors.needId(sessionId, 'sessionId');
      errors.needFunction(attemptTask, 'attempt');
      const session = member.scope.session(sessionId);
      if (session.attempt) return session.attempt.join(member);
      const others = member.scope.members.filter(
        (each) => each !== member && takesPart(each, session),
      );
      const json = others.length > 0 ? JSON.stringify(input) : undefined;
      const attempt = new Attempt(session, member, input, others, json);
      attempt.start(attemptTask);
      return attempt.result.promise;
    }),
  );
}

const takesPart = (member, session) =>
  session.claims.some((claim) => claim.member === member) ||
  session.runs(member).length > 0 ||
  session.operationOf(member) !== undefined;

class Attempt {
  constructor(session, starter, input, others, json) {
    this.session = session;
    this.starter = starter;
    this.captured = [...session.claims];
    this.result = deferred({ quiet: true });
    this.joined = new Map();
    /** How the starter's own attempt ended. */
    this.outcome = undefined;
    this.lifted = false;
    /** The operation that owes the status and the note. */
    this.opener = undefined;
    this.views = [newView(this, starter, input, this.captured)];
    for (const member of others) {
      const given = json === undefined ? undefined : JSON.parse(json);
      const claims = this.captured.filter((claim) => claim.member === member);
      this.views.push({ ...newView(this, member, given, claims), isPart: true });
    }
    for (const view of this.views) view.handle = make(StopAttempt, view);
  }

  get parts() {
    return this.views.filter((view) => view.isPart);
  }

  viewOf(member) {
    return this.views.find((view) => view.member === member);
  }

  handleFor(member) {
    return this.viewOf(member).handle;
  }

  start(task) {
    const { session, starter } = this;
    session.attempt = this;
    for (const claim of this.captured) {
      claim.attempt = this;
      claim.attempts.push(this);
    }
    for (const part of this.parts) starter.cause(part.member, () => runPart(part));
    const mine = this.captured.filter((claim) => claim.member === starter);
    if (!interrupt(starter, mine)) return;
    clearQueue(session, starter);
    if (starter.closed) return;
    const finish = (ok) => (value) => this.starterEnded(ok ? { ok, value } : { ok, error: value });
    begin(task, this.handleFor(starter)).then(finish(true), finish(false));
  }

  starterEnded(outcome) {
    if (this.outcome) return;
    this.outcome = outcome;
    this.liftIfSettled(this.starter);
  }

  join(member) {
    if (member === this.starter) return this.result.promise;
    if (!this.joined.has(member)) this.joined.set(member, deferred({ quiet: true }));
    return this.joined.get(member).promise;
  }

  liftIfSettled(causer) {
    if (this.lifted || !this.outcome || this.parts.some((part) => !part.settled)) return;
    this.lifted = true;
    this.session.attempt = undefined;
    const { ok, value, error } = this.outcome;
    causer.cause(this.starter, () => (ok ? this.result.resolve(value) : this.result.reject(error)));
    for (const [member, waiting] of this.joined) {
      causer.cause(member, () => (ok ? waiting.resolve() : waiting.reject(cross(error))));
    }
  }
}

const newView = (attempt, member, input, claims) => ({
  attempt,
  member,
  input,
  claims,
  isPart: false,
  settled: false,
  endedClaims: new Map(),
  endedParts: new Map(),
  waiting: [],
  lastOperation: undefined,
  handle: undefined,
});

/** Tells the runs, then aborts; false once a callback has closed the member. */
function interrupt(member, claims) {
  for (const claim of claims) {
    if (member.closed) return false;
    tellStop(claim);
  }
  for (const claim of claims) {
    if (member.closed) return false;
    claim.controller.abort(claim.cancellation);
  }
  return !member.closed;
}

function runPart(part) {
  const { member, claims, attempt } = part;
  if (!interrupt(member, claims)) return;
  if (member.onForeignStop) {
    begin(member.onForeignStop, part.handle).then(
      () => partEnded(part, undefined),
      (error) => partEnded(part, { error }),
    );
    return;
  }
  const running = attempt.session.runs(member).length > 0;
  const message = `Backend of session ${attempt.session.id} lives in another thread`;
  partEnded(
    part,
    running ? { error: new CoreError('ERR_GENERATION_FOREIGN', message) } : undefined,
  );
}

function partEnded(part, failure) {
  if (part.settled) return;
  part.settled = true;
  const starterView = part.attempt.views[0];
  const crossed = failure && { error: cross(failure.error) };
  part.member.cause(starterView.member, () => {
    starterView.endedParts.set(part, crossed);
    resolveDrained(starterView);
  });
  part.attempt.liftIfSettled(part.member);
}

export function claimEnded(claim) {
  for (const attempt of claim.attempts) {
    for (const view of attempt.views.filter((each) => each.claims.includes(claim))) {
      if (view.member === claim.member) {
        view.endedClaims.set(claim, claim.failure);
        resolveDrained(view);
      } else {
        const crossed = claim.failure && { error: cross(claim.failure.error) };
        claim.member.cause(view.member, () => {
          view.endedClaims.set(claim, crossed);
          resolveDrained(view);
        });
      }
    }
  }
}

const expectedParts = (view) => (view.isPart ? [] : view.attempt.parts);

const isDrained = (view) =>
  view.claims.every((claim) => view.endedClaims.has(claim)) &&
  expectedParts(view).every((part) => view.endedParts.has(part));

function drainErrors(view) {
  const ended = [
    ...view.claims.map((claim) => view.endedClaims.get(claim)),
    ...expectedParts(view).map((part) => view.endedParts.get(part)),
  ];
  return ended.filter((failure) => failure !== undefined).map((failure) => failure.error);
}

function resolveDrained(view) {
  if (!isDrained(view)) return;
  for (const resolve of view.waiting.splice(0)) resolve(drainErrors(view));
}

export class StopAttempt extends Handle {
  get sessionId() {
    return own(this, StopAttempt).attempt.session.id;
  }

  get input() {
    return own(this, StopAttempt).input;
  }

  get operation() {
    const view = own(this, StopAttempt);
    return (view.attempt.session.operationOf(view.member) ?? view.lastOperation)?.handle;
  }

  activeClaims() {
    const view = ownOpen(this, StopAttempt);
    return view.attempt.session.runs(view.member).map((claim) => claim.handle);
  }

  retain(claim, owed) {
    const view = ownOpen(this, StopAttempt);
    const operation = retain(view, claim, owed);
    view.lastOperation = operation;
    return operation.handle;
  }

  drained() {
    return quiet(
      rejecting(() => {
        const view = ownOpen(this, StopAttempt);
        const { promise, resolve } = deferred();
        view.waiting.push(resolve);
        view.member.drains.push(view);
        resolveDrained(view);
        return promise;
      }),
    );
  }
}

/** After the member's claims have failed: what waits in it is told, and its part is an error. */
export function closeStops(member) {
  for (const view of member.drains) {
    for (const resolve of view.waiting.splice(0)) resolve(drainErrors(view));
  }
  for (const session of member.scope.sessions.values()) {
    const { attempt } = session;
    if (!attempt) continue;
    attempt.joined.get(member)?.reject(closedError());
    if (attempt.starter === member) {
      attempt.result.reject(closedError());
      attempt.outcome = { ok: false, error: closedError() };
    }
    const part = attempt.parts.find((each) => each.member === member);
    if (part) partEnded(part, { error: closedError() });
    else attempt.liftIfSettled(member);
  }
}
