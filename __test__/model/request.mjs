// Interaction requests: what a turn has asked a person. They belong to (generation, turn).
import { CoreError } from './errors.mjs';
import { Handle, make, own } from './handles.mjs';

export function openRequest(claim, requestId, value) {
  const room = claim.session.room(claim.member);
  const open = room.requests.find((each) => each.requestId === requestId);
  if (open) {
    if (open.generation !== claim.generation || open.turnId !== claim.turnId) {
      const message = `Interaction request ${requestId} belongs to another turn or generation`;
      throw new CoreError('ERR_REQUEST_CONFLICT', message);
    }
    open.value = value;
    return open.handle;
  }
  const { member, session, generation, turnId } = claim;
  const request = { member, session, generation, turnId, requestId, value };
  request.handle = make(InteractionRequest, request);
  room.requests.push(request);
  return request.handle;
}

export function closeRequestsOf(claim) {
  const room = claim.session.room(claim.member);
  room.requests = room.requests.filter(
    (each) => each.generation !== claim.generation || each.turnId !== claim.turnId,
  );
}

export class InteractionRequest extends Handle {
  get sessionId() {
    return own(this, InteractionRequest).session.id;
  }

  get requestId() {
    return own(this, InteractionRequest).requestId;
  }

  get turnId() {
    return own(this, InteractionRequest).turnId;
  }

  get generation() {
    return own(this, InteractionRequest).generation.handle;
  }

  get value() {
    return own(this, InteractionRequest).value;
  }

  close() {
    const request = own(this, InteractionRequest);
    request.member.needOpen();
    const room = request.session.room(request.member);
    room.requests = room.requests.filter((each) => each !== request);
  }
}
