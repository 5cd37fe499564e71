// What a host of slow operations does: it reserves starts, records what it observes, and reads.

/** Reserves all of `starts`, so many at once. */
export function reserves(journal, { atOnce }) {
  return async (starts) => {
    let created = 0;
    for (let from = 0; from < starts.length; from += atOnce) {
      const calls = [];
      const until = Math.min(starts.length, from + atOnce);
      for (let i = from; i < until; i += 1) {
        const { id, digest, payload } = starts[i];
        calls.push(journal.reserve(id, digest, payload));
      }
      for (const { outcome } of await Promise.all(calls)) if (outcome === 'created') created += 1;
    }
    return created;
  };
}

export function reservesSync(journal) {
  return async (starts) => {
    let created = 0;
    for (const { id, digest, payload } of starts)
      if (journal.reserveSync(id, digest, payload).outcome === 'created') created += 1;
    return created;
  };
}

/** One observation after the other, each awaited, of rows in turn. */
export function updates(journal, ids) {
  let at = 0;
  let made = 0;
  return async (starts) => {
    let running = 0;
    for (let left = starts.length; left > 0; left -= 1) {
      made += 1;
      const patch = { progress: (made % 100) / 100, stage: `step ${made}` };
      const status = await journal.update(ids[at], patch);
      if (status.state === 'running' && status.stage === patch.stage) running += 1;
      at = at + 1 === ids.length ? 0 : at + 1;
    }
    return running;
  };
}

export function statuses(journal, ids) {
  let at = 0;
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const status = journal.status(ids[at]);
      if (status.state === 'running' && status.input.limits.retries === 2) seen += 1;
      at = at + 1 === ids.length ? 0 : at + 1;
    }
    if (seen !== n) throw new Error('A row is not as it was written');
    return seen;
  };
}

export function pages(journal, ids) {
  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) {
      const { operations, nextOffset, active } = journal.page();
      if (nextOffset !== null && active === ids.length) seen += operations.length;
    }
    if (seen !== n * 50) throw new Error('A page has not 50 rows');
    return seen;
  };
}
