// The pending messages of a session as the seed keeps them: plain arrays, spliced and filtered.

class SteeringTurn {
  constructor(core, sessionId, turnId) {
    this.core = core;
    this.sessionId = sessionId;
    this.turnId = turnId;
  }

  pull() {
    const state = this.core.steeringBySession.get(this.sessionId);
    if (!state || state.activeTurnId !== this.turnId || state.steering.length === 0) return [];
    const leased = state.steering.splice(0);
    state.inFlight.push(...leased.map((message) => ({ ...message, issuingTurnId: this.turnId })));
    return leased.map((message) => ({ ...message }));
  }

  ack(leaseIds) {
    const state = this.core.steeringBySession.get(this.sessionId);
    if (!state) return;
    const ids = new Set(leaseIds);
    const before = state.inFlight.length;
    state.inFlight = state.inFlight.filter(
      (message) => !(ids.has(message.id) && message.issuingTurnId === this.turnId),
    );
    if (state.inFlight.length !== before) this.core.emitQueueUpdate(state);
  }

  release() {
    const state = this.core.steeringBySession.get(this.sessionId);
    if (!state) return;
    const own = state.inFlight.filter((message) => message.issuingTurnId === this.turnId);
    const owner = state.activeTurnId === this.turnId;
    const stranded = owner ? [...own, ...state.steering] : own;
    if (stranded.length > 0) {
      state.followup = [...stranded.map(({ content }) => content.text), ...state.followup];
      state.inFlight = state.inFlight.filter((message) => message.issuingTurnId !== this.turnId);
      if (owner) state.steering = [];
      this.core.emitQueueUpdate(state);
    }
    if (!owner) return;
    state.sink = undefined;
    state.activeTurnId = undefined;
  }
}

export class SeedSteering {
  constructor(newId) {
    this.newId = newId;
    this.steeringBySession = new Map();
  }

  openSteeringTurn(sessionId, turnId, onUpdate) {
    let state = this.steeringBySession.get(sessionId);
    if (!state) {
      state = {
        steering: [],
        inFlight: [],
        followup: [],
        sink: undefined,
        activeTurnId: undefined,
      };
      this.steeringBySession.set(sessionId, state);
    }
    state.sink = onUpdate;
    state.activeTurnId = turnId;
    return new SteeringTurn(this, sessionId, turnId);
  }

  steer(sessionId, text) {
    const state = this.steeringBySession.get(sessionId);
    if (state?.activeTurnId === undefined) return false;
    const messageId = this.newId();
    state.steering.push({ id: messageId, messageId, content: { text } });
    this.emitQueueUpdate(state);
    return true;
  }

  drainFollowup(sessionId) {
    const state = this.steeringBySession.get(sessionId);
    if (!state || state.followup.length === 0) return [];
    const drained = state.followup.splice(0);
    this.emitQueueUpdate(state);
    return drained;
  }

  clearSteering(sessionId) {
    const state = this.steeringBySession.get(sessionId);
    if (!state || (state.steering.length === 0 && state.followup.length === 0)) return;
    state.steering = [];
    state.followup = [];
    this.emitQueueUpdate(state);
  }

  emitQueueUpdate(state) {
    state.sink?.({
      turnId: state.activeTurnId ?? '',
      steering: [
        ...state.inFlight.map((message) => message.content.text),
        ...state.steering.map((message) => message.content.text),
      ],
      followup: [...state.followup],
    });
  }
}
