// Messages steered into a running turn, pulled at a step boundary and acknowledged.

const TEXTS = 256;
const LENGTH = 2048;

/** Texts of 2 KB, no two alike, each one flat string; one in eight is not ASCII. */
function texts() {
  return Array.from({ length: TEXTS }, (_, i) => {
    const head = `${i} ${i % 8 === 0 ? '✅' : ''} look at the failing case first; `;
    return Buffer.from(head.repeat(80).slice(0, LENGTH)).toString();
  });
}

/** One unit is `depth` messages, queued one by one, then pulled and acknowledged together. */
export function steering(core, sessionId, { depth, listener }) {
  const pool = texts();
  let updates = 0;
  const onUpdate = listener
    ? (snapshot) => {
        updates += snapshot.steering.length + 1;
      }
    : undefined;
  const turn = core.openSteeringTurn(sessionId, 'turn-1', onUpdate);
  let at = 0;

  function cycle() {
    for (let i = 0; i < depth; i += 1) {
      core.steer(sessionId, pool[at]);
      at = at + 1 === TEXTS ? 0 : at + 1;
    }
    const messages = turn.pull();
    const ids = [];
    let seen = 0;
    for (const message of messages) {
      ids.push(message.id);
      seen += message.content.text.length;
    }
    turn.ack(ids);
    return seen;
  }

  return (n) => {
    let seen = 0;
    for (let i = 0; i < n; i += 1) seen += cycle();
    if (seen !== n * depth * LENGTH) throw new Error(`Pulled ${seen} characters`);
    return seen + updates;
  };
}
