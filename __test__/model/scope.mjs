// A scope, its sessions and its members. A private core is the only member of a nameless scope.
import { closedError } from './errors.mjs';

const named = new Map();

export class Scope {
  static find(name) {
    if (name === undefined) return new Scope();
    if (!named.has(name)) named.set(name, new Scope(name));
    return named.get(name);
  }

  constructor(name) {
    this.name = name;
    this.members = [];
    this.services = 0;
    this.sessions = new Map();
    this.generations = 0;
    this.admission = { closed: false, entries: [] };
  }

  session(id) {
    if (!this.sessions.has(id)) this.sessions.set(id, new Session(id));
    return this.sessions.get(id);
  }

  liveSessions() {
    return [...this.sessions.values()].filter((session) => !session.isEmpty());
  }

  leave(member) {
    this.members = this.members.filter((each) => each !== member);
    if (this.members.length > 0 || this.services > 0) return;
    if (named.get(this.name) === this) named.delete(this.name);
  }
}

export class Session {
  constructor(id) {
    this.id = id;
    /** Live claims, oldest first. */
    this.claims = [];
    /** Generations that are not terminated, in creation order. */
    this.generations = [];
    this.mutations = [];
    this.entering = [];
    this.attempt = undefined;
    /** Retained stop operations, at most one per member. */
    this.operations = [];
    this.steering = newQueue();
    this.rooms = new Map();
  }

  /** What one member keeps for itself in this session. */
  room(member) {
    if (!this.rooms.has(member)) {
      this.rooms.set(member, {
        requests: [],
        invalidation: undefined,
        checkpoint: { stored: false, value: undefined, load: undefined },
        activations: new Map(),
        lanes: new Map(),
      });
    }
    return this.rooms.get(member);
  }

  dropQueue() {
    this.steering = newQueue();
  }

  /** Registered runs, by generation in creation order, then by age. */
  runs(member) {
    return this.generations
      .filter((generation) => member === undefined || generation.member === member)
      .flatMap((generation) => generation.runs);
  }

  operationOf(member) {
    return this.operations.find((operation) => operation.member === member);
  }

  isEmpty() {
    const { steering } = this;
    return (
      this.claims.length === 0 &&
      this.generations.length === 0 &&
      this.mutations.length === 0 &&
      this.attempt === undefined &&
      this.operations.length === 0 &&
      steering.owner === undefined &&
      steering.queued.length + steering.leases.length + steering.followup.length === 0 &&
      [...this.rooms.values()].every(isRoomEmpty)
    );
  }
}

const newQueue = () => ({ owner: undefined, queued: [], leases: [], followup: [] });

const isRoomEmpty = (room) =>
  room.requests.length === 0 &&
  room.invalidation === undefined &&
  !room.checkpoint.stored &&
  room.checkpoint.load === undefined &&
  room.activations.size === 0 &&
  room.lanes.size === 0;

/** One core object: where callbacks are called and promises settle. */
export class Member {
  constructor(scope, { newId, now, onForeignStop }) {
    this.scope = scope;
    this.newId = newId;
    this.now = now;
    this.onForeignStop = onForeignStop;
    this.closed = false;
    /** Stop attempts that it waits for, and stop operations that it has opened. */
    this.drains = [];
    this.opened = [];
    scope.members.push(this);
  }

  needOpen() {
    if (this.closed) throw closedError();
  }

  /** What this member causes at `other`: inside the call for itself, a macrotask for any other. */
  cause(other, deliver) {
    if (other.closed) return;
    if (other === this) deliver();
    else setImmediate(() => other.closed || deliver());
  }
}
