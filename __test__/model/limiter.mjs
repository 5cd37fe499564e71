// Permits: a limited number of places, granted in the order asked for.
import { coded, needObject } from './errors.mjs';
import { Handle, adopt, make, own, rejecting } from './handles.mjs';

export class AdmissionLimiter {
  constructor(capacity) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw coded(new RangeError('capacity must be a positive safe integer'), 'ERR_OUT_OF_RANGE');
    }
    adopt(this, AdmissionLimiter, { capacity, active: 0, waiting: [], closed: undefined });
  }

  get capacity() {
    return own(this, AdmissionLimiter).capacity;
  }

  get activeCount() {
    return own(this, AdmissionLimiter).active;
  }

  get waitingCount() {
    return own(this, AdmissionLimiter).waiting.length;
  }

  acquire(signal) {
    return rejecting(() => {
      const limiter = own(this, AdmissionLimiter);
      if (signal !== undefined && !(signal instanceof AbortSignal)) needObject(undefined, 'signal');
      if (limiter.closed) throw limiter.closed.error;
      if (signal?.aborted) throw signal.reason;
      return new Promise((resolve, reject) => {
        const waiter = { signal, resolve, reject, onAbort: () => leave(limiter, waiter) };
        limiter.waiting.push(waiter);
        signal?.addEventListener('abort', waiter.onAbort);
        grant(limiter);
      });
    });
  }

  close(error) {
    const limiter = own(this, AdmissionLimiter);
    if (limiter.closed) return;
    limiter.closed = { error };
    for (const waiter of limiter.waiting.splice(0)) settle(waiter, () => waiter.reject(error));
  }
}

function settle(waiter, how) {
  waiter.signal?.removeEventListener('abort', waiter.onAbort);
  how();
}

function leave(limiter, waiter) {
  limiter.waiting = limiter.waiting.filter((each) => each !== waiter);
  settle(waiter, () => waiter.reject(waiter.signal.reason));
}

function grant(limiter) {
  while (limiter.active < limiter.capacity && limiter.waiting.length > 0) {
    const waiter = limiter.waiting.shift();
    if (waiter.signal?.aborted) {
      settle(waiter, () => waiter.reject(waiter.signal.reason));
      continue;
    }
    limiter.active += 1;
    settle(waiter, () => waiter.resolve(make(AdmissionPermit, { limiter, held: true })));
  }
}

export class AdmissionPermit extends Handle {
  release() {
    const permit = own(this, AdmissionPermit);
    if (!permit.held) return;
    permit.held = false;
    permit.limiter.active -= 1;
    grant(permit.limiter);
  }

  [Symbol.dispose]() {
    this.release();
  }
}
