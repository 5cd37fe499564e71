// Active application operations: one registry per scope, nothing stored but the registrations.
import * as errors from './errors.mjs';
import { ApplicationOperationBusyError, CoreError } from './errors.mjs';
import { Handle, adopt, make, own } from './handles.mjs';
import { Scope } from './scope.mjs';

export const sessionOperationExclusivityKey = (sessionId) => {
  errors.needId(sessionId, 'sessionId');
  return `session:${sessionId}`;
};

export class ApplicationOperationService {
  constructor(options = {}) {
    errors.needObject(options, 'options');
    if (options.scope !== undefined) errors.needId(options.scope, 'scope');
    const scope = Scope.find(options.scope);
    scope.services += 1;
    adopt(this, ApplicationOperationService, { registry: scope.admission, member: undefined });
  }

  reserve(request) {
    const { registry, member } = openService(this);
    errors.needObject(request, 'request');
    const { operationId, ownerId, sessionId = null, exclusivityKeys } = request;
    errors.needId(operationId, 'operationId');
    errors.needString(ownerId, 'ownerId');
    if (sessionId !== null) errors.needId(sessionId, 'sessionId');
    if (!Array.isArray(exclusivityKeys)) errors.needIds(exclusivityKeys, 'exclusivityKeys');
    for (const key of exclusivityKeys) errors.needId(key, 'exclusivityKeys');
    const keys = [...exclusivityKeys];
    if (registry.closed)
      throw new CoreError('ERR_ADMISSION_CLOSED', 'The operation service is closed');
    for (const key of keys) {
      const holder = registry.entries.find((each) => each.keys.includes(key));
      if (holder) throw new ApplicationOperationBusyError(holder.registration, key);
    }
    if (registry.entries.some((each) => each.registration.operationId === operationId)) {
      throw new CoreError('ERR_OPERATION_DUPLICATE', `Operation ${operationId} is already active`);
    }
    const registration = Object.freeze({ operationId, ownerId, sessionId });
    const entry = { registry, member, registration, keys };
    registry.entries.push(entry);
    return make(OperationLease, entry);
  }

  get(operationId) {
    const { registry } = openService(this);
    errors.needId(operationId, 'operationId');
    return (
      registry.entries.find((each) => each.registration.operationId === operationId)
        ?.registration ?? null
    );
  }

  listActive(filter = {}) {
    const { registry } = openService(this);
    errors.needObject(filter, 'filter');
    return registry.entries
      .map((each) => each.registration)
      .filter((each) => filter.sessionId === undefined || each.sessionId === filter.sessionId)
      .filter((each) => filter.ownerId === undefined || each.ownerId === filter.ownerId);
  }

  close() {
    const { registry } = openService(this);
    registry.closed = true;
    registry.entries = [];
  }
}

function openService(handle) {
  const service = own(handle, ApplicationOperationService);
  service.member?.needOpen();
  return service;
}

export const serviceOf = (member) =>
  make(ApplicationOperationService, { registry: member.scope.admission, member });

export class OperationLease extends Handle {
  get registration() {
    return own(this, OperationLease).registration;
  }

  release() {
    const entry = own(this, OperationLease);
    entry.registry.entries = entry.registry.entries.filter((each) => each !== entry);
  }

  [Symbol.dispose]() {
    this.release();
  }
}

export function closeAdmission(member) {
  const { admission } = member.scope;
  admission.entries = admission.entries.filter((each) => each.member !== member);
}
